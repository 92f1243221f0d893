import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { command, exitStatus } from '../command.ts'
import { contextOptions } from '../hub/hub-options.ts'
import { forwardTo } from '../hub/with-context.ts'

export const dashboard = command({
  name: 'dashboard',
  summary: 'Opens the dashboard of the hub of a cluster in a browser, through the kubeconfig.',
  options: contextOptions,
  forwards: true,
  notes: 'It needs the right to list pods and to create pods/portforward. It ends with Ctrl-C.',
  async run({ options, terminal }) {
    const failed = (reason: string) => terminal.note(`tapdeck dashboard: a connection failed: ${reason}`)
    const { url, pod, close } = await forwardTo(options, 0, failed)
    await terminal.out(`The dashboard of ${pod} is at ${url}`)
    // Without a browser on this machine the line above is enough.
    const opener = process.platform === 'darwin' ? 'open' : 'xdg-open'
    spawn(opener, [url], { stdio: 'ignore', detached: true })
      .on('error', () => {})
      .unref()
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
    close()
    return exitStatus.done
  },
})
