const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** The text as a filter writes it. JSON will not do: `\b` and `\f` are left to regular expressions here. */
export function textLiteral(text: string): string {
  const escaped = (character: string) =>
    ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to be escaped
  return `"${text.replace(/[\\"\u0000-\u001f\u007f]/g, escaped)}"`
}
