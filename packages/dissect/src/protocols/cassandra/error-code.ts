/** Errors as §9 of the native protocol names them, spaces as underscores. */
const NAMES: ReadonlyMap<number, string> = new Map([
  [0x0000, 'Server_error'],
  [0x000a, 'Protocol_error'],
  [0x0100, 'Authentication_error'],
  [0x1000, 'Unavailable'],
  [0x1001, 'Overloaded'],
  [0x1002, 'Is_bootstrapping'],
  [0x1003, 'Truncate_error'],
  [0x1100, 'Write_timeout'],
  [0x1200, 'Read_timeout'],
  [0x1300, 'Read_failure'],
  [0x1400, 'Function_failure'],
  [0x1500, 'Write_failure'],
  [0x1600, 'CDC_write_failure'],
  [0x1700, 'CAS_write_unknown'],
  [0x2000, 'Syntax_error'],
  [0x2100, 'Unauthorized'],
  [0x2200, 'Invalid'],
  [0x2300, 'Config_error'],
  [0x2400, 'Already_exists'],
  [0x2500, 'Unprepared'],
])

export function isErrorCode(code: number): boolean {
  return NAMES.has(code)
}

export function errorName(code: number): string {
  return NAMES.get(code) ?? `0x${code.toString(16).padStart(4, '0')}`
}
