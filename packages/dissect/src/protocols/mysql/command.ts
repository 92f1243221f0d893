/** Commands of the client, by their first byte: "Command Phase" in the MySQL internals; 0xfa and above are MariaDB's. */
export const COMMAND = {
  quit: 0x01,
  initDb: 0x02,
  query: 0x03,
  fieldList: 0x04,
  createDb: 0x05,
  dropDb: 0x06,
  refresh: 0x07,
  shutdown: 0x08,
  statistics: 0x09,
  processInfo: 0x0a,
  connect: 0x0b,
  processKill: 0x0c,
  debug: 0x0d,
  ping: 0x0e,
  time: 0x0f,
  delayedInsert: 0x10,
  changeUser: 0x11,
  binlogDump: 0x12,
  tableDump: 0x13,
  connectOut: 0x14,
  registerSlave: 0x15,
  stmtPrepare: 0x16,
  stmtExecute: 0x17,
  stmtSendLongData: 0x18,
  stmtClose: 0x19,
  stmtReset: 0x1a,
  setOption: 0x1b,
  stmtFetch: 0x1c,
  daemon: 0x1d,
  binlogDumpGtid: 0x1e,
  resetConnection: 0x1f,
  stmtBulkExecute: 0xfa,
  /** No command at all: a client's login, and a server's answer to an unknown command. */
  login: 0x100,
  unknown: 0x101,
} as const

const NAMES: readonly string[] = [
  'COM_SLEEP',
  'COM_QUIT',
  'COM_INIT_DB',
  'COM_QUERY',
  'COM_FIELD_LIST',
  'COM_CREATE_DB',
  'COM_DROP_DB',
  'COM_REFRESH',
  'COM_SHUTDOWN',
  'COM_STATISTICS',
  'COM_PROCESS_INFO',
  'COM_CONNECT',
  'COM_PROCESS_KILL',
  'COM_DEBUG',
  'COM_PING',
  'COM_TIME',
  'COM_DELAYED_INSERT',
  'COM_CHANGE_USER',
  'COM_BINLOG_DUMP',
  'COM_TABLE_DUMP',
  'COM_CONNECT_OUT',
  'COM_REGISTER_SLAVE',
  'COM_STMT_PREPARE',
  'COM_STMT_EXECUTE',
  'COM_STMT_SEND_LONG_DATA',
  'COM_STMT_CLOSE',
  'COM_STMT_RESET',
  'COM_SET_OPTION',
  'COM_STMT_FETCH',
  'COM_DAEMON',
  'COM_BINLOG_DUMP_GTID',
  'COM_RESET_CONNECTION',
]

export function commandName(code: number): string {
  if (code === COMMAND.stmtBulkExecute) return 'COM_STMT_BULK_EXECUTE'
  return NAMES[code] ?? `COM_${code}`
}

export function isCommand(code: number): boolean {
  return (code > 0 && code < NAMES.length) || code === COMMAND.stmtBulkExecute
}

/** These are not answered. */
export function isOneWay(code: number): boolean {
  return code === COMMAND.quit || code === COMMAND.stmtClose || code === COMMAND.stmtSendLongData
}
