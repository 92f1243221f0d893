import { textLiteral } from '@tapdeck/kfl'
import type { Selection } from '@tapdeck/suspects'
import { allOf, groupFilter } from './group-filter.ts'

/** A filter that selects the calls which show a finding. */
export function selectionFilter(selection: Selection): string {
  const { client, server, pod, proto, path, error, slowerThan, largerThan, requestLargerThan } = selection
  const of = ({ name, ns }: { readonly name: string; readonly ns?: string }) => ({ group: name, ns })
  return allOf(
    ...(client ? [groupFilter('src_service', of(client))] : []),
    ...(server ? [groupFilter('service', of(server))] : []),
    ...(pod ? [groupFilter('dst', of(pod))] : []),
    ...(proto === undefined ? [] : [`proto == ${textLiteral(proto)}`]),
    ...(path === undefined ? [] : [groupFilter('path', { group: path })]),
    ...(error === undefined ? [] : [groupFilter('error', { group: error })]),
    ...(slowerThan === undefined ? [] : [`elapsed_time > ${Math.round(slowerThan * 1000)}`]),
    ...(requestLargerThan === undefined ? [] : [`req_size > ${Math.round(requestLargerThan)}`]),
    ...(largerThan === undefined ? [] : [`resp_size > ${Math.round(largerThan)}`]),
  )
}
