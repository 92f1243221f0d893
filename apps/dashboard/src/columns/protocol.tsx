import { ProtocolTag } from '../protocols/protocol-tag.tsx'
import type { Column } from './column.ts'

export const protocolColumn: Column = {
  id: 'proto',
  title: 'Protocol',
  wide: { least: 76 },
  medium: { least: 62 },
  render: (call) => <ProtocolTag name={call.proto} />,
}
