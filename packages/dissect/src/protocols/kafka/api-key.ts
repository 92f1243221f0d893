/** Kafka protocol, "API Keys", in the order of their numbers. */
const NAMES: readonly string[] = (
  'Produce Fetch ListOffsets Metadata LeaderAndIsr StopReplica UpdateMetadata ControlledShutdown ' +
  'OffsetCommit OffsetFetch FindCoordinator JoinGroup Heartbeat LeaveGroup SyncGroup DescribeGroups ' +
  'ListGroups SaslHandshake ApiVersions CreateTopics DeleteTopics DeleteRecords InitProducerId ' +
  'OffsetForLeaderEpoch AddPartitionsToTxn AddOffsetsToTxn EndTxn WriteTxnMarkers TxnOffsetCommit ' +
  'DescribeAcls CreateAcls DeleteAcls DescribeConfigs AlterConfigs AlterReplicaLogDirs DescribeLogDirs ' +
  'SaslAuthenticate CreatePartitions CreateDelegationToken RenewDelegationToken ExpireDelegationToken ' +
  'DescribeDelegationToken DeleteGroups ElectLeaders IncrementalAlterConfigs ' +
  'AlterPartitionReassignments ListPartitionReassignments OffsetDelete DescribeClientQuotas ' +
  'AlterClientQuotas DescribeUserScramCredentials AlterUserScramCredentials Vote BeginQuorumEpoch ' +
  'EndQuorumEpoch DescribeQuorum AlterPartition UpdateFeatures Envelope FetchSnapshot DescribeCluster ' +
  'DescribeProducers BrokerRegistration BrokerHeartbeat UnregisterBroker DescribeTransactions ' +
  'ListTransactions AllocateProducerIds ConsumerGroupHeartbeat ConsumerGroupDescribe ' +
  'ControllerRegistration GetTelemetrySubscriptions PushTelemetry AssignReplicasToDirs ' +
  'ListConfigResources DescribeTopicPartitions ShareGroupHeartbeat ShareGroupDescribe ShareFetch ' +
  'ShareAcknowledge AddRaftVoter RemoveRaftVoter UpdateRaftVoter InitializeShareGroupState ' +
  'ReadShareGroupState WriteShareGroupState DeleteShareGroupState ReadShareGroupStateSummary ' +
  'StreamsGroupHeartbeat StreamsGroupDescribe DescribeShareGroupOffsets AlterShareGroupOffsets ' +
  'DeleteShareGroupOffsets'
).split(' ')

export const API = {
  PRODUCE: 0,
  FETCH: 1,
  SASL_HANDSHAKE: 17,
  API_VERSIONS: 18,
  SASL_AUTHENTICATE: 36,
} as const

export function isApiKey(key: number): boolean {
  return key >= 0 && key < NAMES.length
}

export function apiName(key: number): string {
  return NAMES[key] ?? `ApiKey${key}`
}
