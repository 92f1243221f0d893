import './protocol-tag.css'
import { protocolLook } from './index.ts'

export function ProtocolTag({ name }: { readonly name: string }) {
  const { label, family } = protocolLook(name)
  return <span className={`tag ${family}`}>{label}</span>
}
