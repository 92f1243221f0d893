export const TLS_1_2 = 0x0303
export const TLS_1_3 = 0x0304

const NAMES: Readonly<Record<number, string | undefined>> = {
  0x0002: 'SSL 2.0',
  0x0300: 'SSL 3.0',
  0x0301: 'TLS 1.0',
  0x0302: 'TLS 1.1',
  0x0303: 'TLS 1.2',
  0x0304: 'TLS 1.3',
}

export function versionName(code: number): string {
  if (code >> 8 === 0x7f) return `TLS 1.3 draft ${code & 0xff}`
  return NAMES[code] ?? `0x${code.toString(16).padStart(4, '0')}`
}
