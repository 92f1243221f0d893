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

const PHONE = { width: 400, height: 800 }

/** The same on a screen as wide as the page has now, and on a phone. */
export async function findingsAtBothWidths(page: Page): Promise<readonly string[]> {
  const wide = page.viewportSize()
  const found = await findings(page)
  await page.setViewportSize(PHONE)
  // What follows the width does so with the next frame.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  const narrow = (await findings(page)).map((one) => `at ${PHONE.width} px: ${one}`)
  if (wide) await page.setViewportSize(wide)
  return [...found, ...narrow]
}
