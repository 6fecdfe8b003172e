// SPDX-License-Identifier: Apache-2.0
// The Compression Streams API, which TypeScript 4.8 does not know.
declare class DecompressionStream implements ReadableWritablePair<Uint8Array, Uint8Array> {
  constructor(format: "gzip");
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}
