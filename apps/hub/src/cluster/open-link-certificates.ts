import { join } from 'node:path'
import { durationMs } from '@tapdeck/config'
import { writeDurably } from '@tapdeck/recording'
import type { HubOptions } from '../hub-options.ts'
import { ApiServer } from '../kubernetes/api-server.ts'
import { DataObject } from '../kubernetes/data-object.ts'
import { type AuthorityStore, LinkCertificates } from './link-certificates.ts'

const AUTHORITY_DOCUMENT = 'link-authority'
/** In the data folder: what workers of other machines get as `tap.tls.ca`. */
const CA_FILE = 'link-ca.pem'

type Options = Pick<HubOptions, 'config' | 'dataFolder' | 'state' | 'log'>

/** The certificates of the workers' port, from an authority of the hub's own; undefined if it has none. */
export async function openLinkCertificates(options: Options): Promise<LinkCertificates | undefined> {
  const { config, dataFolder, log } = options
  const { port, cert, names, rotateAfter, secretName, configMapName } = config.hub.link
  if (port === 0 || cert !== '') return undefined
  const api = secretName === '' && configMapName === '' ? undefined : ApiServer.load(config.tap.kubernetes)
  const published =
    api && configMapName !== '' ? new DataObject(api, 'ConfigMap', configMapName, 'ca.crt') : undefined
  return LinkCertificates.open({
    store: storeOf(options, secretName === '' ? undefined : api),
    async publish(bundle) {
      await writeDurably(join(dataFolder, CA_FILE), bundle)
      if (published && (await published.read()) !== bundle) await published.write(bundle)
    },
    names,
    rotateAfterMs: durationMs(rotateAfter),
    log,
    now: Date.now,
  })
}

/** The state of the hub; with a Secret also that, so that a hub that lost its disk keeps the authority. */
function storeOf({ config, state, log }: Options, api: ApiServer | undefined): AuthorityStore {
  const own = {
    address: `${AUTHORITY_DOCUMENT}.json in ${state.address}`,
    read: () => state.read(AUTHORITY_DOCUMENT),
    write: (text: string) => state.write(AUTHORITY_DOCUMENT, text),
  }
  if (!api) return own
  const shared = new DataObject(api, 'Secret', config.hub.link.secretName, 'authority.json')
  return {
    address: shared.address,
    async read() {
      try {
        const stored = await shared.read()
        if (stored !== undefined) return stored
        const copy = await own.read()
        if (copy !== undefined) await shared.write(copy)
        return copy
      } catch (error) {
        const copy = await own.read()
        if (copy === undefined) throw error
        log.warn(
          { detail: (error as Error).message },
          `cannot read the ${shared.address}; the copy in the data folder is used`,
        )
        return copy
      }
    },
    async write(text) {
      await shared.write(text)
      await own.write(text)
    },
  }
}
