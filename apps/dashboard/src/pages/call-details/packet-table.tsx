import type { ListedPacket } from '@tapdeck/wire/packet-list'
import { type KeyboardEvent, useState } from 'react'
import type { CallDetails } from '../../client/call-details.ts'
import { findText, type HexMark } from '../../format/hex-rows.ts'
import { clockTime } from '../../format/time.ts'
import { HexView } from '../../ui/hex-view.tsx'
import { markableFields } from './markable-fields.ts'

export interface PacketTableProps {
  readonly packets: readonly ListedPacket[]
  readonly call: CallDetails
}

const MAX_MARKS = 50
const LAYERS = { link: 'Link', ip: 'IP', transport: 'TCP or UDP', payload: 'Payload' } as const

/** Packets, and the bytes of the chosen one with its headers and a field of the call marked. */
export function PacketTable({ packets, call }: PacketTableProps) {
  const [row, setRow] = useState(() => firstOf(packets, call))
  const [fieldName, setFieldName] = useState('')
  const packet = packets[row]
  const fields = markableFields(call)
  const field = fields.find(({ name }) => name === fieldName)
  const onKeyDown = (event: KeyboardEvent) => {
    const to = { ArrowDown: row + 1, ArrowUp: row - 1, Home: 0, End: packets.length - 1 }[event.key]
    if (to === undefined || !packets[to]) return
    setRow(to)
    event.preventDefault()
    event.stopPropagation()
  }
  const holds = (one: ListedPacket) => field !== undefined && marksOf(one, field.text).length > 0
  if (!packet) return <p className="body-note">No packet of this connection is in the snapshot.</p>
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements lint/a11y/noNoninteractiveTabindex: one stop for the keyboard, rows by arrow keys */}
      <div className="packet-list" role="group" aria-label="Packets" tabIndex={0} onKeyDown={onKeyDown}>
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">From</th>
              <th scope="col">What</th>
              <th scope="col">Bytes</th>
            </tr>
          </thead>
          <tbody>
            {packets.map((one, index) => (
              <tr
                // biome-ignore lint/suspicious/noArrayIndexKey: packets have no other identity than their place
                key={index}
                ref={index === row ? intoView : undefined}
                aria-current={index === row ? 'true' : undefined}
                className={`${index === row ? 'open' : ''}${holds(one) ? ' found' : ''}`}
                onClick={() => setRow(index)}
              >
                <td>
                  {clockTime(one.time / 1000)}
                  <span className="soft">{String(one.time % 1000).padStart(3, '0')}</span>
                </td>
                <td>{directionOf(one, call)}</td>
                <td>{whatOf(one)}</td>
                <td className="figure">{one.length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="hex-tools">
        {packet.layers.map(({ name }) => (
          <span key={name} className={`hex-key layer-${name}`}>
            {LAYERS[name]}
          </span>
        ))}
        <label>
          Mark{' '}
          <select className="select" value={fieldName} onChange={(event) => setFieldName(event.target.value)}>
            <option value="">nothing</option>
            {fields.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {field && (
          <span className="soft" role="status">
            {packets.some(holds)
              ? holds(packet)
                ? 'Marked in this packet.'
                : 'It is in another packet.'
              : 'It is in no packet as plain text.'}
          </span>
        )}
      </div>
      <HexView
        bytes={packet.bytes}
        label="Bytes of the packet"
        marks={[...layerMarks(packet), ...(field ? marksOf(packet, field.text) : [])]}
      />
    </>
  )
}

/** Within the list only: the page stays where it is. */
function intoView(chosen: HTMLElement | null): void {
  const list = chosen?.closest('.packet-list')
  if (!chosen || !list) return
  const [top, bottom] = [chosen.offsetTop - chosen.offsetHeight, chosen.offsetTop + chosen.offsetHeight]
  if (top < list.scrollTop) list.scrollTop = top
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight
}

/** The packet that a reader looks for: the first with a payload at the time of the call. */
function firstOf(packets: readonly ListedPacket[], { ts }: CallDetails): number {
  const found = packets.findIndex(
    ({ time, layers }) => time >= ts * 1000 - 1 && layers.some(({ name }) => name === 'payload'),
  )
  return Math.max(0, found)
}

function layerMarks({ layers, bytes }: ListedPacket): readonly HexMark[] {
  return layers.map(({ name, from }, index) => ({
    from,
    to: layers[index + 1]?.from ?? bytes.length,
    mark: `layer-${name}`,
  }))
}

function marksOf({ bytes, layers }: ListedPacket, text: string): readonly HexMark[] {
  const payload = layers.find(({ name }) => name === 'payload')
  if (!payload) return []
  const length = new TextEncoder().encode(text).length
  return findText(bytes, text, payload.from, MAX_MARKS).map((from) => ({
    from,
    to: from + length,
    mark: 'found',
  }))
}

function directionOf({ ends }: ListedPacket, { src }: CallDetails): string {
  if (!ends) return ''
  return ends.source === src.ip && ends.sourcePort === src.port ? 'client' : 'server'
}

function whatOf({ ends, tcp, layers, bytes }: ListedPacket): string {
  const payload = layers.find(({ name }) => name === 'payload')
  const size = payload ? `, ${bytes.length - payload.from} bytes` : ''
  return `${tcp?.flags ?? ends?.protocol.toUpperCase() ?? 'no transport'}${size}`
}
