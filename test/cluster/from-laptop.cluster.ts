import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nodes as allNodes, kubectl, root, run } from './test-cluster.ts'

const tapdeck = (...args: string[]) => run(process.execPath, join(root, 'dist', 'tapdeck.mjs'), ...args)

test('a command with --context reaches the hub through the kubeconfig, and previews targets', async () => {
  const context = (await kubectl('config', 'current-context')).trim()
  const { nodes } = JSON.parse(await tapdeck('--context', context, 'nodes', '--json')) as {
    nodes: readonly { name: string }[]
  }
  expect(nodes.map(({ name }) => name)).toEqual(allNodes)
  const preview = ['targets', 'preview', '--context', context, '--regex', '^host-web', '--json']
  expect(JSON.parse(await tapdeck(...preview))).toMatchObject({ total: allNodes.length })
})

test('a context that does not exist is refused with those that do', async () => {
  const refused = tapdeck('nodes', '--context', 'nowhere')
  await expect(refused).rejects.toThrow('the kubeconfig has no context "nowhere"')
})
