import { readdirSync, readFileSync } from 'node:fs'

const IFF_UP = 1
const FOLDER = '/sys/class/net'

/** Names of the interfaces that are up now. */
export function interfacesUp(): string[] {
  try {
    return readdirSync(FOLDER).filter(isUp).sort()
  } catch {
    return []
  }
}

function isUp(name: string): boolean {
  try {
    return (Number(readFileSync(`${FOLDER}/${name}/flags`, 'latin1')) & IFF_UP) !== 0
  } catch {
    return false
  }
}
