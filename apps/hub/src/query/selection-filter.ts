import { unfinished } from '@tapdeck/dissect'
import { textLiteral } from '@tapdeck/kfl'
import type { Selection } from '@tapdeck/suspects'
import { allOf, groupFilter } from './group-filter.ts'

/** Requests without an answer, whether or not the capture went on long enough to be sure. */
export const SILENT = `error in [${['no_response', unfinished].map(textLiteral).join(', ')}]`
export const STALLED_RESENDS = 3
/** Such requests that were sent again, and small enough for any link. */
export const STALLED = `${SILENT} and tcp.retransmissions >= ${STALLED_RESENDS} and req_size <= 1000`

/** Clients of which only the address is known. */
const OUTSIDE = 'src.svc == "" and src.pod == ""'

/** A filter that selects the calls which show a finding. */
export function selectionFilter(selection: Selection): string {
  const { client, server, pod, proto, path, error, slowerThan, largerThan, requestLargerThan } = selection
  const { connectionEnd, hasZeroWindow, isStalled, isSilent, isResent, pods = [], node } = selection
  const of = ({ name, ns }: { readonly name: string; readonly ns?: string }) => ({ group: name, ns })
  return allOf(
    ...(client ? [client.isOutside ? OUTSIDE : groupFilter('src_service', of(client))] : []),
    ...(server ? [groupFilter('service', of(server))] : []),
    ...(pod ? [groupFilter('dst', of(pod))] : []),
    ...(pods.length > 0 ? [pods.map((one) => `(${groupFilter('dst', of(one))})`).join(' or ')] : []),
    ...(node === undefined ? [] : [groupFilter('node', { group: node })]),
    ...(proto === undefined ? [] : [`proto == ${textLiteral(proto)}`]),
    ...(path === undefined ? [] : [groupFilter('path', { group: path })]),
    ...(error === undefined ? [] : [groupFilter('error', { group: error })]),
    ...(connectionEnd === undefined ? [] : [groupFilter('connection_end', { group: connectionEnd })]),
    ...(slowerThan === undefined ? [] : [`elapsed_time > ${Math.round(slowerThan * 1000)}`]),
    ...(requestLargerThan === undefined ? [] : [`req_size > ${Math.round(requestLargerThan)}`]),
    ...(hasZeroWindow ? ['tcp.zero_window > 0'] : []),
    ...(isStalled ? [STALLED] : []),
    ...(isSilent ? [SILENT] : []),
    ...(isResent ? ['tcp.retransmissions > 0'] : []),
    ...(largerThan === undefined ? [] : [`resp_size > ${Math.round(largerThan)}`]),
  )
}
