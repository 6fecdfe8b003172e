// SPDX-License-Identifier: Apache-2.0
#include "report/page/parts.hpp"

namespace foretask::report {

View::View(Text& text, const char* id, const char* title, std::string_view sentence) : text_(text) {
  add(text_, "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n", id, title);
  add(text_, "<p class=\"what\">{}</p>\n", markup_text(sentence));
}

View::~View() { add(text_, "</section>\n"); }

void add_paragraph(Text& text, std::string_view words) { add(text, "<p>{}</p>\n", markup_text(words)); }

void add_key(Text& text, std::string_view kind, std::string_view words) {
  add(text,
      "<span class=\"key\"><svg viewBox=\"0 0 24 12\" aria-hidden=\"true\"><rect class=\"bar {}\" width=\"24\" "
      "height=\"12\"/></svg>{}</span> ",
      kind, markup_text(words));
}

Table::Table(Text& text, std::string_view caption, const std::vector<std::string>& columns, Shown shown)
    : text_(text), columns_(columns), shown_(shown) {
  if (shown_ == Shown::kOnDemand) add(text_, "<details><summary>Table: {}</summary>\n", markup_text(caption));
  // A region that scrolls is reached by the keyboard.
  add(text_,
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table>\n<caption>{0}</caption>\n",
      markup_text(caption));
}

Table::~Table() {
  if (!has_head_) add_head({});
  add(text_, "</tbody></table></div>\n");
  if (shown_ == Shown::kOnDemand) add(text_, "</details>\n");
}

// Above numbers, which are flush right, so are the heads.
void Table::add_head(const std::vector<Cell>& cells) {
  has_head_ = true;
  add(text_, "<thead><tr>");
  for (std::size_t i = 0; i < columns_.size(); ++i)
    add(text_, "<th scope=\"col\"{}>{}</th>", i < cells.size() && cells[i].is_number ? " class=\"n\"" : "",
        markup_text(columns_[i]));
  add(text_, "</tr></thead>\n<tbody>\n");
}

void Table::row(const std::vector<Cell>& cells) {
  if (!has_head_) add_head(cells);
  add(text_, "<tr>");
  for (const Cell& cell : cells) {
    const bool is_first = &cell == &cells.front();
    const char* const element = is_first ? "th" : "td";
    add(text_, "<{}{}", element, is_first ? " scope=\"row\"" : "");
    if (cell.is_number) add(text_, " class=\"n\" data-v=\"{:.17g}\"", cell.value);
    add(text_, ">");
    if (!cell.link.empty()) add(text_, "<a href=\"{}\" rel=\"noreferrer\">", markup_text(cell.link));
    add(text_, "{}", markup_text(cell.text));
    if (!cell.link.empty()) add(text_, "</a>");
    add(text_, "</{}>", element);
  }
  add(text_, "</tr>\n");
}

}  // namespace foretask::report
