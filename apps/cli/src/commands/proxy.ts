import { once } from 'node:events'
import { text } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { command, exitStatus } from '../command.ts'
import { contextOptions } from '../hub/hub-options.ts'
import { forwardTo } from '../hub/with-context.ts'

const DEFAULT_PORT = '8899'

export const proxy = command({
  name: 'proxy',
  summary: 'Makes the hub of a cluster available on this machine, through the kubeconfig.',
  options: {
    ...contextOptions,
    port: text('PORT', `The local port; 0: any that is free. Default: ${DEFAULT_PORT}.`),
  },
  forwards: true,
  notes: 'It needs the right to list pods and to create pods/portforward. It ends with Ctrl-C.',
  async run({ options, terminal }) {
    const port = Number(options.port ?? DEFAULT_PORT)
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new UsageError(`--port: expected a port, not "${options.port}"`)
    const failed = (reason: string) => terminal.note(`tapdeck proxy: a connection failed: ${reason}`)
    const { url, pod, close } = await forwardTo(options, port, failed)
    await terminal.out(`Tapdeck of ${pod} is at ${url}`)
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    close()
    return exitStatus.done
  },
})
