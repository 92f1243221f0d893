import { useQueries, useQuery } from '@tanstack/react-query'
import { HubProblem } from '../client/hub-problem.ts'
import type { DocsGroup } from './docs-index.ts'
import { parseMarkdown } from './markdown.ts'
import { type DocsSection, sectionsOf } from './search-docs.ts'

/** The pages change only with the hub that serves them. */
const pageOptions = (page: string) => ({
  queryKey: ['docs', page],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
    parseMarkdown(await fetchPage(page, signal)),
  staleTime: Number.POSITIVE_INFINITY,
})

export function useDocsPage(page: string) {
  return useQuery(pageOptions(page))
}

/** All sections of the listed pages, loaded at the first search; those of the pages that arrived so far. */
export function useDocsSections(groups: readonly DocsGroup[], isWanted: boolean) {
  const pages = groups.flatMap((group) => group.pages.map(({ page }) => page))
  return useQueries({
    queries: pages.map((page) => ({ ...pageOptions(page), enabled: isWanted })),
    combine: (answers) => ({
      isLoading: answers.some(({ isLoading }) => isLoading),
      sections: answers.flatMap(({ data }, at): readonly DocsSection[] =>
        data ? sectionsOf(pages[at] ?? '', data) : [],
      ),
    }),
  })
}

async function fetchPage(page: string, signal: AbortSignal): Promise<string> {
  let response: Response
  try {
    response = await fetch(`/docs/${page}.md`, { signal })
  } catch (reason) {
    if (signal.aborted) throw reason
    throw HubProblem.unreachable()
  }
  if (response.ok) return response.text()
  throw new HubProblem(response.status, {
    detail: `The documentation has no page ${page}.`,
    hint: 'Choose one of the list.',
  })
}
