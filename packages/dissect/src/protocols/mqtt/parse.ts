import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { Aliases } from './aliases.ts'
import { hideSecrets } from './connect.ts'
import { findPacket, frameLength, headerLength } from './frame.ts'
import { MqttCursor } from './mqtt-cursor.ts'
import { TYPE } from './packet-type.ts'
import { skipProperties } from './properties.ts'
import { guessVersion } from './version.ts'

type Draft = { -readonly [K in keyof Message]: Message[K] }

const CONTINUE = 0x18

/** MQTT 3.1, 3.1.1 and 5.0: packets of both sides, acknowledged by id. */
export class MqttConversation implements Conversation {
  readonly #connection: Connection
  readonly #aliases: readonly [Aliases, Aliases]
  /** Ids of messages of each side with QoS 2 that are not completed yet. */
  readonly #exact: readonly [Set<number>, Set<number>] = [new Set(), new Set()]
  /** 0: the CONNECT was not seen. */
  #version = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.#aliases = [new Aliases(connection.budget), new Aliases(connection.budget)]
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    return frameLength(bytes, start, end, side)
  }

  decode(frame: Frame, side: Side): Message | undefined {
    const { bytes, start, end, length, time, endTime } = frame
    if (end === start) return undefined
    const type = bytes[start] >> 4
    const body = start + headerLength(bytes, start, end)
    if (body > end) return undefined
    const whole = end - start === length
    if (this.#version === 0) this.#version = guessVersion(bytes, start, body, end, whole)
    const message: Draft = { kind: 'event', start: time, end: endTime, size: length }
    if (!whole) message.truncated = true
    try {
      if (type === TYPE.PUBLISH) this.#publish(frame, side, body, message)
      else {
        message.head = this.#connection.copy(bytes, start, end)
        if (type === TYPE.CONNECT) this.#connect(message.head, body - start)
        if (!this.#other(type, new MqttCursor(bytes, body, end), side, message)) return undefined
      }
    } catch (error) {
      if (whole || !(error instanceof Malformed)) throw error
      message.kind = 'event'
      message.head ??= this.#connection.copy(bytes, start, end)
    }
    if (this.#version > 0) message.fields = { ...message.fields, version: this.#version }
    return message
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    return findPacket(bytes, start, end, side)
  }

  lost(side: Side): undefined {
    this.#aliases[side].clear()
  }

  #connect(head: Uint8Array, at: number): void {
    const cursor = new MqttCursor(head, at)
    cursor.skip(cursor.short())
    this.#version = cursor.byte() & 0x7f
    hideSecrets(head, at)
  }

  #publish({ bytes, start, end, length }: Frame, side: Side, body: number, message: Draft): void {
    const cursor = new MqttCursor(bytes, body, end)
    const qos = (bytes[start] >> 1) & 3
    const empty = bytes[body] === 0 && bytes[body + 1] === 0
    const topic = cursor.string()
    const id = qos > 0 ? cursor.short() : 0
    const fields: { [name: string]: FieldValue } = {}
    if (this.#version === 5) {
      const alias = skipProperties(cursor)
      if (alias > 0 && !empty) this.#aliases[side].set(alias, topic)
      else if (alias > 0) {
        const known = this.#aliases[side].get(alias)
        if (known !== undefined) fields.topic = known
      } else if (empty) throw new Malformed('neither topic nor alias')
    }
    const { limits, copy } = this.#connection
    const payload = cursor.at
    const size = start + length - payload
    const stop = Math.min(end, payload + limits.body)
    message.head = copy(bytes, start, payload)
    message.fields = fields
    if (stop > payload) message.body = copy(bytes, payload, stop)
    if (stop - payload < size) {
      message.bodySize = size
      message.truncated = true
    }
    if (qos === 0) return
    message.kind = 'request'
    message.key = `P${id}`
    if (qos === 2) this.#begin(side, id)
  }

  #begin(side: Side, id: number): void {
    const exact = this.#exact[side]
    if (exact.size < this.#connection.limits.pending) exact.add(id)
  }

  /** All but PUBLISH. False where there is nothing to tell. */
  #other(type: number, cursor: MqttCursor, side: Side, message: Draft): boolean {
    const other: Side = side === 0 ? 1 : 0
    switch (type) {
      case TYPE.CONNECT:
        return ask(message, 'C')
      case TYPE.CONNACK:
        return answer(message, 'C')
      case TYPE.PUBACK:
        return answer(message, `P${cursor.short()}`)
      case TYPE.PUBREC:
        return this.#received(cursor, other, message)
      case TYPE.PUBREL: {
        // One whose message was sent on an earlier connection is a call of its own: MQTT 5.0 §4.4.
        const id = cursor.short()
        return !this.#exact[side].has(id) && ask(message, `R${id}`)
      }
      case TYPE.PUBCOMP: {
        const id = cursor.short()
        return answer(message, this.#exact[other].delete(id) ? `P${id}` : `R${id}`)
      }
      case TYPE.SUBSCRIBE:
        return ask(message, `S${cursor.short()}`)
      case TYPE.SUBACK:
        return answer(message, `S${cursor.short()}`)
      case TYPE.UNSUBSCRIBE:
        return ask(message, `U${cursor.short()}`)
      case TYPE.UNSUBACK:
        return answer(message, `U${cursor.short()}`)
      case TYPE.PINGREQ:
        return ask(message, 'ping')
      case TYPE.PINGRESP:
        return answer(message, 'ping')
      case TYPE.AUTH:
        return this.#authenticate(cursor, side, message)
      default:
        return true
    }
  }

  /** The first half of the answer to QoS 2, or all of it where it refuses the message. */
  #received(cursor: MqttCursor, sender: Side, message: Draft): boolean {
    const id = cursor.short()
    const refused = cursor.left > 0 && cursor.byte() >= 0x80
    if (refused) this.#exact[sender].delete(id)
    else if (this.#exact[sender].has(id)) message.more = true
    return answer(message, `P${id}`)
  }

  /** The steps in between are events; a client that authenticates again sends a request, which is answered at the end. */
  #authenticate(cursor: MqttCursor, side: Side, message: Draft): boolean {
    const reason = cursor.left > 0 ? cursor.byte() : 0
    if (message.head !== undefined && cursor.left > 0) {
      const at = message.head.length - cursor.left
      skipProperties(new MqttCursor(message.head, at), true)
    }
    if (reason === CONTINUE) return true
    return side === 0 ? ask(message, 'A') : answer(message, 'A')
  }
}

function ask(message: Draft, key: string): true {
  message.kind = 'request'
  message.key = key
  return true
}

function answer(message: Draft, key: string): true {
  message.kind = 'response'
  message.key = key
  return true
}
