/** IANA's supported groups: what keys are exchanged over. */
const NAMES: Readonly<Record<number, string | undefined>> = {
  19: 'secp192r1',
  21: 'secp224r1',
  22: 'secp256k1',
  23: 'secp256r1',
  24: 'secp384r1',
  25: 'secp521r1',
  26: 'brainpoolP256r1',
  27: 'brainpoolP384r1',
  28: 'brainpoolP512r1',
  29: 'x25519',
  30: 'x448',
  41: 'curveSM2',
  256: 'ffdhe2048',
  257: 'ffdhe3072',
  258: 'ffdhe4096',
  259: 'ffdhe6144',
  260: 'ffdhe8192',
  512: 'MLKEM512',
  513: 'MLKEM768',
  514: 'MLKEM1024',
  4587: 'SecP256r1MLKEM768',
  4588: 'X25519MLKEM768',
  4589: 'SecP384r1MLKEM1024',
  25497: 'X25519Kyber768Draft00',
}

export function groupName(code: number): string {
  return NAMES[code] ?? `0x${code.toString(16).padStart(4, '0')}`
}
