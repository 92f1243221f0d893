import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { hub } from '../client/hub.ts'
import { useSession } from './session-context.ts'
import { useStore } from './use-store.ts'

/** Polls the switch and the nodes for callers that may not open a stream. */
export function usePolledState(): void {
  const session = useSession()
  const connection = useStore(session.connection)
  const isOpen = connection.kind === 'open'
  const { data, isError } = useQuery({
    queryKey: ['switch'],
    queryFn: ({ signal }) => hub.switchState(signal),
    enabled: !isOpen,
    refetchInterval: 1000,
    refetchIntervalInBackground: true,
    retry: false,
    gcTime: 0,
  })
  const status = useQuery({
    queryKey: ['status'],
    queryFn: ({ signal }) => hub.status(signal),
    enabled: connection.kind === 'stopped',
    refetchInterval: 2000,
    retry: false,
    gcTime: 0,
  }).data
  useEffect(() => {
    if (status && connection.kind === 'stopped') session.nodes.set(status.nodes)
  }, [session, status, connection.kind])
  useEffect(() => {
    const isBack = !session.isReachable.get() && !isError
    session.isReachable.set(isOpen || !isError)
    if (isBack) session.retryNow()
    if (!isOpen && data && !isError) session.switch.set(data)
  }, [session, isOpen, data, isError])
}
