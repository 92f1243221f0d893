/**
 * Keys that are no more, or that people know from similar systems, each with what to write instead. They are refused
 * like any unknown key, but with the way on.
 */
export const removedKeys: Readonly<Record<string, string>> = {
  'tap.capture.stopped': 'tap.capture.dissection.enabled, with the opposite value',
  'tap.capture.stopAfter': 'tap.capture.dissection.stopAfter',
  'tap.stopped': 'tap.capture.dissection.enabled, with the opposite value',
  'tap.storageLimit': 'tap.capture.dbMaxSize',
  'tap.proxy.front.port': 'hub.port',
  'tap.proxy.host': 'hub.host',
}
