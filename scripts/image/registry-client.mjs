import { registryAddress } from './image-reference.mjs'

/** How much of an error's text is shown. */
const MAX_SHOWN = 500

/** Requests to one repository of an OCI registry. It authenticates when the registry asks for it: with a token, or basic. */
export class RegistryClient {
  #base
  #name
  #credentials
  #authorization

  /** @param {{registry: string, name: string, credentials?: ReturnType<import('./registry-credentials.mjs').registryCredentials>}} to */
  constructor({ registry, name, credentials }) {
    this.#base = registryAddress(registry)
    this.#name = name
    this.#credentials = credentials
  }

  async hasBlob({ digest }) {
    const response = await this.#request('HEAD', this.#url(`blobs/${digest}`), { accepts: [200, 404] })
    return response.status === 200
  }

  async putBlob({ descriptor, content }) {
    const begun = await this.#request('POST', this.#url('blobs/uploads/'), { accepts: [202] })
    const target = new URL(begun.headers.get('location'), begun.url)
    target.searchParams.set('digest', descriptor.digest)
    const headers = { 'content-type': 'application/octet-stream' }
    await this.#request('PUT', target, { headers, body: content, accepts: [201] })
  }

  /** @param {string} reference a tag or a digest */
  async putManifest(reference, { descriptor, content }) {
    const headers = { 'content-type': descriptor.mediaType }
    await this.#request('PUT', this.#url(`manifests/${reference}`), {
      headers,
      body: content,
      accepts: [201],
    })
  }

  #url(path) {
    return new URL(`${this.#base}/v2/${this.#name}/${path}`)
  }

  async #request(method, url, { headers = {}, body, accepts }, isRetry = false) {
    // An upload may go to a storage elsewhere, which must not see the credentials.
    const isOwn = url.origin === new URL(this.#base).origin
    const authorization = isOwn && this.#authorization ? { authorization: this.#authorization } : {}
    const response = await fetch(url, { method, headers: { ...headers, ...authorization }, body }).catch(
      (error) => {
        throw new Error(`${url.origin} cannot be reached: ${error.cause?.message ?? error.message}`)
      },
    )
    if (accepts.includes(response.status)) return response
    const text = (await response.text()).slice(0, MAX_SHOWN)
    if (response.status === 401 && isOwn && !isRetry) {
      this.#authorization = await this.#answer(response.headers.get('www-authenticate') ?? '')
      if (this.#authorization) return this.#request(method, url, { headers, body, accepts }, true)
    }
    const hint =
      response.status === 401
        ? ' Log in to the registry first (docker login, podman login, helm registry login).'
        : ''
    throw new Error(
      `${method} ${url.origin}${url.pathname} was answered with ${response.status}: ${text.trim()}${hint}`,
    )
  }

  /** The header that answers a challenge of the registry; undefined if there are no credentials for it. */
  async #answer(challenge) {
    if (/^basic\b/i.test(challenge)) return this.#basic()
    const field = (name) => new RegExp(`${name}="([^"]*)"`, 'i').exec(challenge)?.[1]
    const realm = field('realm')
    if (!/^bearer\b/i.test(challenge) || !realm) return undefined
    const query = new URLSearchParams({ scope: `repository:${this.#name}:pull,push` })
    const service = field('service')
    if (service) query.set('service', service)
    const token = await this.#token(new URL(realm), query)
    return `Bearer ${token}`
  }

  #basic() {
    if (!this.#credentials?.user) return undefined
    const { user, password } = this.#credentials
    return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  }

  async #token(realm, query) {
    const { refreshToken } = this.#credentials ?? {}
    if (refreshToken)
      for (const [key, value] of Object.entries({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: 'tapdeck',
      }))
        query.set(key, value)
    else for (const [key, value] of query) realm.searchParams.set(key, value)
    const basic = this.#basic()
    const response = await fetch(
      realm,
      refreshToken ? { method: 'POST', body: query } : { headers: basic ? { authorization: basic } : {} },
    )
    if (!response.ok)
      throw new Error(
        `${realm.origin} gives no token: ${response.status} ${(await response.text()).slice(0, MAX_SHOWN)}`,
      )
    const { token, access_token } = await response.json()
    return token ?? access_token
  }
}
