import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  readonly id: string
  readonly impact: string
  readonly nodes: readonly { readonly html: string }[]
}

/** What keeps people from using the page, as axe finds it: the serious and the critical. */
export async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: readonly Violation[] }> } }
    const found = await axe.run()
    return found.violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.map(({ html }) => ({ html })),
    }))
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)
}
