import { spawnSync } from 'node:child_process'
import { type Browser, chromium, type Locator, type Page } from 'playwright-core'

/** The browser of this machine, or nothing. */
export function browserPath(): string | undefined {
  if (process.env.TAPDECK_CHROMIUM) return process.env.TAPDECK_CHROMIUM
  const found = spawnSync('sh', [
    '-c',
    'command -v chromium || command -v chromium-browser || command -v google-chrome',
  ])
  return found.stdout.toString().trim() || undefined
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: browserPath() ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
}

/** A user's page, with everything that went wrong on it: errors, refusals of the content policy, foreign requests. */
export interface Visit {
  readonly page: Page
  readonly troubles: readonly string[]
}

export async function visit(
  browser: Browser,
  url: string,
  viewport = { width: 1400, height: 900 },
): Promise<Visit> {
  const page = await (await browser.newContext({ viewport })).newPage()
  page.setDefaultTimeout(60_000)
  const troubles: string[] = []
  page.on('pageerror', (error) => troubles.push(String(error)))
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) troubles.push(message.text())
  })
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(url).host) troubles.push(`asked ${request.url()}`)
  })
  await page.goto(url)
  return { page, troubles }
}

/** Which of green and red a control shows, in any part of it. */
export function hues(control: Locator): Promise<readonly string[]> {
  return control.evaluate((element) => {
    const seen = new Set<string>()
    for (const part of [element, ...element.querySelectorAll('*')]) {
      const style = getComputedStyle(part)
      for (const colour of [style.backgroundColor, style.color, style.borderTopColor]) {
        const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map(Number)
        if (green > red + 30 && green > blue + 20) seen.add('green')
        if (red > green + 40 && red > blue + 40) seen.add('red')
      }
    }
    return [...seen]
  })
}
