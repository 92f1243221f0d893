import type { RedactionRules, Redactor } from '@tapdeck/redact'

/**
 * The redactor of these rules; undefined where there are none but of credentials, which only calls have. Loaded only where
 * there are some: it brings all protocols with it, which a dormant worker does without. Rejects with `RuleError`.
 */
export async function loadRedactor(rules: RedactionRules | undefined): Promise<Redactor | undefined> {
  const any = Object.values(rules ?? {}).some(
    (rule) => rule === true || (Array.isArray(rule) && rule.length > 0),
  )
  if (!any) return undefined
  const { createRedactor } = await import('@tapdeck/redact')
  return createRedactor(rules)
}
