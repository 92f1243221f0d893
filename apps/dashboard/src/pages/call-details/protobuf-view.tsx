import type { ProtobufField } from '../../format/protobuf.ts'

/** Messages without their schema: fields by number. */
export function ProtobufView({ messages }: { readonly messages: readonly (readonly ProtobufField[])[] }) {
  return (
    <div className="protobuf">
      {messages.map((fields, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no other identity than their place
        <div key={index}>
          {messages.length > 1 && <h4>Message {index + 1}</h4>}
          <Fields fields={fields} />
        </div>
      ))}
      <p className="body-note">Read without a schema: fields have numbers instead of names.</p>
    </div>
  )
}

function Fields({ fields }: { readonly fields: readonly ProtobufField[] }) {
  if (fields.length === 0) return <p className="body-note">An empty message.</p>
  return (
    <dl className="facts">
      {fields.map(({ number, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a field may be repeated
        <div key={index} className="fact">
          <dt>{number}</dt>
          <dd className="value">
            {isFields(value) ? (
              <Fields fields={value} />
            ) : value instanceof Uint8Array ? (
              hexOf(value)
            ) : (
              String(value)
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function isFields(value: ProtobufField['value']): value is readonly ProtobufField[] {
  return Array.isArray(value)
}

const MAX_BYTES = 256

function hexOf(bytes: Uint8Array): string {
  const shown = Array.from(bytes.subarray(0, MAX_BYTES), (byte) => byte.toString(16).padStart(2, '0'))
  return `${shown.join(' ')}${bytes.length > MAX_BYTES ? ` … ${bytes.length} bytes` : ''}`
}
