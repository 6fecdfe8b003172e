# SPDX-License-Identifier: Apache-2.0
# Doxygen's input filter: the public headers' plain comments as it reads them. A line stays a line.

# What Doxygen would take for a command or a link; and examples, set in by two, are its code when set in by four more.
function plain(text) {
  gsub(/#/, "\\#", text)
  if (text ~ /^  /) text = "    " text
  return text
}

NR == 1 && /SPDX/ { next }  # the file's head has a line more
/^\/\* ---- .* ---- \*\/$/ { print ""; next }  # a heading among declarations

# The head of a file.
NR == 2 && /^\/\/ / { in_head = 1; print "/// @file"; $0 = "///" plain(substr($0, 3)) }
NR == 2 && /^\/\* / { in_block = 1; print "/** @file"; $0 = " *" plain(substr($0, 3)) }
NR > 2 && in_head && !/^\/\// { in_head = 0 }

# Lines that are a comment.
/^ *\/\/( |$)/ {
  indent = match($0, /\//) - 1
  mark = (indent > 0 && indent == behind_code) ? "///<" : "///"
  print substr($0, 1, indent) mark plain(substr($0, indent + 3))
  next
}
/^ *\/\* / { sub(/\/\* /, "/** "); in_block = 1 }
in_block && /^ \*/ && !/^ \*\// { $0 = " *" plain(substr($0, 3)) }
in_block { if (/\*\//) in_block = 0; print; next }

# A comment behind code; the lines below it at the same place go on with it.
{ behind_code = -1 }
match($0, /[;,{}(a-z0-9] +\/\/ /) { behind_code = RSTART + RLENGTH - 4; sub(/\/\/ /, "///< ") }
match($0, /[;,{}(a-z0-9] +\/\* /) { sub(/\/\* /, "/**< "); if (!/\*\//) in_block = 1 }
{ print }
