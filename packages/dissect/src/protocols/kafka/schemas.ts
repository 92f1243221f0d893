import { items, type Schema } from './schema.ts'

function api(flexible: number, last: number, request: string, response: string): Schema {
  return { flexible, last, request: items(request), response: items(response) }
}

/** Where topics are named; ids have taken the place of names since the version given. */
const topic = (since: number) => `name:topic@0-${since - 1} topic_id:topic_id@${since}-`
const offsets = `name:topic@0-9 topic_id:topic_id@10- partitions[ partition:int32 offset:int64 leader_epoch:int32@5-
  metadata:string error_code:error ]`

/** Apache Kafka's protocol guide, the messages that carry topics, or outcomes that people look for. */
export const schemas: Readonly<Record<number, Schema | undefined>> = {
  // Produce
  0: api(
    9,
    13,
    `transactional_id:string@3- acks:int16 timeout_ms:int32
     topics[ ${topic(13)} partitions[ partition:int32 records:records ] ]`,
    `topics[ ${topic(13)} partitions[ partition:int32 error_code:error base_offset:int64 log_append_time_ms:int64@2-
     log_start_offset:int64@5- record_errors@8-[ batch_index:int32 message:string ] error_message:string@8- ] ]
     throttle_time_ms:int32@1-`,
  ),
  // Fetch
  1: api(
    12,
    17,
    `replica_id:int32@0-14 max_wait_ms:int32 min_bytes:int32 max_bytes:int32@3- isolation_level:int8@4-
     session_id:int32@7- session_epoch:int32@7-
     topics[ ${topic(13)} partitions[ partition:int32 current_leader_epoch:int32@9- fetch_offset:int64
     last_fetched_epoch:int32@12- log_start_offset:int64@5- max_bytes:int32 ] ]
     forgotten@7-[ name:string@0-12 topic_id:uuid@13- partitions:ints ] rack_id:string@11-`,
    `throttle_time_ms:int32@1- error_code:error@7- session_id:int32@7-
     topics[ ${topic(13)} partitions[ partition:int32 error_code:error high_watermark:int64
     last_stable_offset:int64@4- log_start_offset:int64@5-
     aborted@4-[ producer_id:int64 first_offset:int64 ] preferred_read_replica:int32@11- records:records ] ]`,
  ),
  // ListOffsets
  2: api(
    6,
    10,
    `replica_id:int32 isolation_level:int8@2- topics[ name:topic partitions[ partition:int32
     current_leader_epoch:int32@4- timestamp:int64 max_num_offsets:int32@0 ] ] timeout_ms:int32@10-`,
    `throttle_time_ms:int32@2- topics[ name:topic partitions[ partition:int32 error_code:error offsets:longs@0
     timestamp:int64@1- offset:int64@1- leader_epoch:int32@4- ] ]`,
  ),
  // Metadata
  3: api(
    9,
    13,
    `topics[ topic_id:uuid@10- name:topic ] allow_auto_topic_creation:bool@4-
     include_cluster_authorized_operations:bool@8-10 include_topic_authorized_operations:bool@8-`,
    `throttle_time_ms:int32@3- brokers[ node_id:int32 host:string port:int32 rack:string@1- ] cluster_id:string@2-
     controller_id:int32@1- topics[ error_code:error name:topic topic_id:uuid@10- is_internal:bool@1-
     partitions[ error_code:error partition:int32 leader_id:int32 leader_epoch:int32@7- replicas:ints isr:ints
     offline_replicas:ints@5- ] authorized_operations:int32@8- ] cluster_authorized_operations:int32@8-10
     error_code:error@13-`,
  ),
  // OffsetCommit
  8: api(
    8,
    10,
    `group_id:string generation_id:int32@1- member_id:string@1- group_instance_id:string@7-
     retention_time_ms:int64@2-4 topics[ ${topic(10)} partitions[ partition:int32 offset:int64
     leader_epoch:int32@6- commit_timestamp:int64@1 metadata:string ] ]`,
    `throttle_time_ms:int32@3- topics[ ${topic(10)} partitions[ partition:int32 error_code:error ] ]`,
  ),
  // OffsetFetch
  9: api(
    6,
    10,
    `group_id:string@0-7 topics@0-7[ name:topic partitions:ints ] groups@8-[ group_id:string member_id:string@9-
     member_epoch:int32@9- topics[ ${topic(10)} partitions:ints ] ] require_stable:bool@7-`,
    `throttle_time_ms:int32@3- topics@0-7[ ${offsets} ] error_code:error@2-7
     groups@8-[ group_id:string topics[ ${offsets} ] error_code:error ]`,
  ),
  // FindCoordinator
  10: api(
    3,
    6,
    'key:string@0-3 key_type:int8@1- keys:strings@4-',
    `throttle_time_ms:int32@1- error_code:error@0-3 error_message:string@1-3 node_id:int32@0-3 host:string@0-3
     port:int32@0-3 coordinators@4-[ key:string node_id:int32 host:string port:int32 error_code:error
     error_message:string ]`,
  ),
  // JoinGroup
  11: api(
    6,
    9,
    `group_id:string session_timeout_ms:int32 rebalance_timeout_ms:int32@1- member_id:string
     group_instance_id:string@5- protocol_type:string protocols[ name:string metadata:bytes ] reason:string@8-`,
    `throttle_time_ms:int32@2- error_code:error generation_id:int32 protocol_type:string@7- protocol_name:string
     leader:string skip_assignment:bool@9- member_id:string members[ member_id:string group_instance_id:string@5-
     metadata:bytes ]`,
  ),
  // Heartbeat
  12: api(
    4,
    4,
    'group_id:string generation_id:int32 member_id:string group_instance_id:string@3-',
    'throttle_time_ms:int32@1- error_code:error',
  ),
  // LeaveGroup
  13: api(
    4,
    5,
    `group_id:string member_id:string@0-2 members@3-[ member_id:string group_instance_id:string reason:string@5- ]`,
    `throttle_time_ms:int32@1- error_code:error
     members@3-[ member_id:string group_instance_id:string error_code:error ]`,
  ),
  // SyncGroup
  14: api(
    4,
    5,
    `group_id:string generation_id:int32 member_id:string group_instance_id:string@3- protocol_type:string@5-
     protocol_name:string@5- assignments[ member_id:string assignment:bytes ]`,
    `throttle_time_ms:int32@1- error_code:error protocol_type:string@5- protocol_name:string@5- assignment:bytes`,
  ),
  // DescribeGroups
  15: api(
    5,
    6,
    'groups:strings include_authorized_operations:bool@3-',
    `throttle_time_ms:int32@1- groups[ error_code:error error_message:string@6- group_id:string state:string
     protocol_type:string protocol:string members[ member_id:string group_instance_id:string@4- client_id:string
     client_host:string metadata:bytes assignment:bytes ] authorized_operations:int32@3- ]`,
  ),
  // ListGroups
  16: api(
    3,
    5,
    'states:strings@4- types:strings@5-',
    `throttle_time_ms:int32@1- error_code:error
     groups[ group_id:string protocol_type:string state:string@4- type:string@5- ]`,
  ),
  // SaslHandshake
  17: api(99, 1, 'mechanism:string', 'error_code:error mechanisms:strings'),
  // ApiVersions
  18: api(
    3,
    4,
    'client_software_name:string@3- client_software_version:string@3-',
    `error_code:error api_keys[ api_key:int16 min_version:int16 max_version:int16 ] throttle_time_ms:int32@1-`,
  ),
  // CreateTopics
  19: api(
    5,
    7,
    `topics[ name:topic num_partitions:int32 replication_factor:int16 assignments[ partition:int32 brokers:ints ]
     configs[ name:string value:string ] ] timeout_ms:int32 validate_only:bool@1-`,
    `throttle_time_ms:int32@2- topics[ name:topic topic_id:uuid@7- error_code:error error_message:string@1-
     num_partitions:int32@5- replication_factor:int16@5- configs@5-[ name:string value:string read_only:bool
     source:int8 is_sensitive:bool ] ]`,
  ),
  // DeleteTopics
  20: api(
    4,
    6,
    'topics@6-[ name:topic topic_id:uuid ] names:topics@0-5 timeout_ms:int32',
    `throttle_time_ms:int32@1- responses[ name:topic topic_id:uuid@6- error_code:error error_message:string@5- ]`,
  ),
  // InitProducerId
  22: api(
    2,
    5,
    'transactional_id:string transaction_timeout_ms:int32 producer_id:int64@3- producer_epoch:int16@3-',
    'throttle_time_ms:int32 error_code:error producer_id:int64 producer_epoch:int16',
  ),
  // AddPartitionsToTxn
  24: api(
    3,
    3,
    'transactional_id:string producer_id:int64 producer_epoch:int16 topics[ name:topic partitions:ints ]',
    'throttle_time_ms:int32 topics[ name:topic partitions[ partition:int32 error_code:error ] ]',
  ),
  // AddOffsetsToTxn
  25: api(
    3,
    4,
    'transactional_id:string producer_id:int64 producer_epoch:int16 group_id:string',
    'throttle_time_ms:int32 error_code:error',
  ),
  // EndTxn
  26: api(
    3,
    4,
    'transactional_id:string producer_id:int64 producer_epoch:int16 committed:bool',
    'throttle_time_ms:int32 error_code:error',
  ),
  // SaslAuthenticate
  36: api(2, 2, '', 'error_code:error error_message:string'),
  // DeleteGroups
  42: api(2, 2, 'groups:strings', 'throttle_time_ms:int32 results[ group_id:string error_code:error ]'),
}
