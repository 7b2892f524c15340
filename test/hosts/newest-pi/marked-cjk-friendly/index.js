// biome-ignore lint/style/noDefaultExport: pi asks for one. An answer of false leaves the text to its renderer.
export default () => ({ tokenizer: { emStrong: () => false } });
