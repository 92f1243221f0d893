#!/bin/bash
# An S3 server of another maker for the tests: Ceph with one monitor, one disk (a sparse file of 40 GB, enough for 5 GB with kills) and its gateway, on loopback.
#   apt-get install --no-install-recommends ceph-mon ceph-mgr ceph-osd radosgw
#   test/s3/ceph.sh /var/tmp/ceph            # starts it; `kill $(cat /var/tmp/ceph/run/*.pid)` stops it
#   export TAPDECK_S3_ENDPOINT=http://127.0.0.1:7480 AWS_ACCESS_KEY_ID=tests AWS_SECRET_ACCESS_KEY=not-a-secret
#   npx vitest run any-server && npx vitest run --config vitest.e2e.config.ts bucket-kills && npm run bench bucket
set -euo pipefail
folder=${1:?a folder that does not exist yet}
mkdir -p "$folder"/{mon,mgr,osd,run,log}
conf=$folder/ceph.conf
fsid=$(cat /proc/sys/kernel/random/uuid)
cat > "$conf" <<CONF
[global]
fsid = $fsid
mon_initial_members = a
mon_host = v2:127.0.0.1:13300
public_network = 127.0.0.0/8
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
# Without authentication there is no secure mode, and the gateway asks for it by default.
ms_mon_client_mode = crc
ms_client_mode = crc
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_data_avail_crit = 1
admin_socket = $folder/run/\$name.asok
pid_file = $folder/run/\$name.pid
log_file = $folder/log/\$name.log
mon_data = $folder/mon
mgr_data = $folder/mgr
osd_data = $folder/osd
osd_objectstore = bluestore
bluestore_block_size = 42949672960
osd_memory_target = 1200000000
[client.rgw]
rgw_frontends = beast endpoint=127.0.0.1:7480
rgw_gc_obj_min_wait = 5
rgw_gc_processor_period = 10
CONF
monmaptool --create --clobber --fsid "$fsid" --addv a '[v2:127.0.0.1:13300]' "$folder/monmap"
ceph-mon -c "$conf" -i a --mkfs --monmap "$folder/monmap"
ceph-mon -c "$conf" -i a
ceph-mgr -c "$conf" -i a
ceph -c "$conf" osd create
ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$(cat /proc/sys/kernel/random/uuid)"
ceph-osd -c "$conf" -i 0
ceph -c "$conf" osd crush add-bucket machine host
ceph -c "$conf" osd crush add osd.0 1.0 host=machine root=default
radosgw -c "$conf" -n client.rgw
until curl -sf -o /dev/null http://127.0.0.1:7480/; do sleep 1; done
radosgw-admin -c "$conf" user create --uid=tests --display-name=tests --access-key=tests --secret-key=not-a-secret > "$folder/user.json"
AWS_ACCESS_KEY_ID=tests AWS_SECRET_ACCESS_KEY=not-a-secret node --input-type=module -e "
  import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
  const client = new S3Client({ endpoint: 'http://127.0.0.1:7480', region: 'us-east-1', forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: 'tests' }))"
