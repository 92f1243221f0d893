import type { PlantedIncident } from '../incident.ts'
import { brokenHealthCheck } from './broken-health-check.ts'
import { grpcDeadline } from './grpc-deadline.ts'
import { healthyGrowth } from './healthy-growth.ts'
import { healthyRollout } from './healthy-rollout.ts'
import { healthySteady } from './healthy-steady.ts'
import { hotPartition } from './hot-partition.ts'
import { leakingPool } from './leaking-pool.ts'
import { mtuBlackHole } from './mtu-black-hole.ts'
import { nPlusOne } from './n-plus-one.ts'
import { packetLoss } from './packet-loss.ts'
import { poisonedDns } from './poisoned-dns.ts'
import { slowBehindCache } from './slow-behind-cache.ts'
import { thunderingHerd } from './thundering-herd.ts'
import { tokenClockSkew } from './token-clock-skew.ts'
import { wrongTenant } from './wrong-tenant.ts'

/** THE list of incidents. */
export const planted: readonly PlantedIncident[] = [
  leakingPool,
  packetLoss,
  slowBehindCache,
  tokenClockSkew,
  hotPartition,
  nPlusOne,
  poisonedDns,
  mtuBlackHole,
  thunderingHerd,
  wrongTenant,
  brokenHealthCheck,
  grpcDeadline,
  healthySteady,
  healthyGrowth,
  healthyRollout,
]
