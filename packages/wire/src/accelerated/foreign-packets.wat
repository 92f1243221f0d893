;; Drops the plain packets of other shards from the records of a capture file in the read buffer. foreign-packets.ts passes the
;; parameters and reads the results. Names in comments such as (;KEPT;) are constants of layout.ts: layout.test.ts
;; compares them with the numbers before them.
(module
  (import "memory" "memory" (memory 1))

  ;; `isLookupPort`
  (func $lookup (param $port i32) (result i32)
    (i32.or
      (i32.or
        (i32.or (i32.eq (local.get $port) (i32.const 53)) (i32.eq (local.get $port) (i32.const 1053)))
        (i32.or (i32.eq (local.get $port) (i32.const 5353)) (i32.eq (local.get $port) (i32.const 5355))))
      (i32.or (i32.eq (local.get $port) (i32.const 8053)) (i32.eq (local.get $port) (i32.const 8600)))))

  ;; Ports of tunnels: `openOverlay`.
  (func $overlay (param $port i32) (result i32)
    (i32.or
      (i32.or (i32.eq (local.get $port) (i32.const 4789)) (i32.eq (local.get $port) (i32.const 8472)))
      (i32.eq (local.get $port) (i32.const 6081))))

  ;; Returns 0: all whole records before $limit are taken. 1: the next record is not an ordinary packet.
  (func (export "dropForeign") (param $s i32) (param $at i32) (param $limit i32) (param $due f64) (result i32)
    (local $result i32) (local $format i32) (local $list i32) (local $entry i32) (local $keeps i32) (local $last i32)
    (local $frame i32) (local $captured i32) (local $length i32) (local $next i32) (local $time f64)
    (local $total i32) (local $head i64) (local $size i32) (local $ports i32) (local $packets i32) (local $bytes i32)
    (local $out i32) (local $hash i32) (local $moved i32)
    (local.set $format (i32.load offset=16 (;FORMAT;) (local.get $s)))
    (local.set $list (i32.load offset=36 (;LIST;) (local.get $s)))
    (local.set $entry (local.get $list))
    (local.set $keeps (i32.const 1))
    (block $over
      (loop $each
        ;; The record: its time, and where its frame begins.
        (if (i32.lt_u (local.get $format) (i32.const 2))
          (then
            (br_if $over (i32.lt_s (i32.sub (local.get $limit) (local.get $at)) (i32.const 16)))
            (local.set $captured (i32.load offset=8 align=1 (local.get $at)))
            (local.set $length (i32.load offset=12 align=1 (local.get $at)))
            (local.set $frame (i32.add (local.get $at) (i32.const 16)))
            (local.set $next (i32.add (local.get $frame) (local.get $captured)))
            (local.set $time (f64.convert_i32_u (i32.load offset=4 align=1 (local.get $at))))
            (if (local.get $format)
              (then
                (local.set $time
                  (f64.div (f64.floor (f64.div (local.get $time) (f64.const 500))) (f64.const 2)))))
            (local.set $time
              (f64.add
                (f64.mul (f64.convert_i32_u (i32.load align=1 (local.get $at))) (f64.const 1000000))
                (local.get $time))))
          (else
            (br_if $over (i32.lt_s (i32.sub (local.get $limit) (local.get $at)) (i32.const 32)))
            (local.set $total (i32.load offset=4 align=1 (local.get $at)))
            (local.set $captured (i32.load offset=20 align=1 (local.get $at)))
            (local.set $length (i32.load offset=24 align=1 (local.get $at)))
            ;; An enhanced packet block of a known interface.
            (local.set $result (i32.const 1))
            (br_if $over
              (i32.or
                (i32.or
                  (i32.ne (i32.load align=1 (local.get $at)) (i32.const 6))
                  (i32.ge_u (i32.load offset=8 align=1 (local.get $at)) (i32.load offset=20 (;INTERFACES;) (local.get $s))))
                (i32.or
                  (i32.and (local.get $total) (i32.const 3))
                  (i32.gt_u (i32.sub (local.get $total) (i32.const 32)) (i32.const 0x20000)))))
            (br_if $over (i32.gt_u (local.get $captured) (i32.sub (local.get $total) (i32.const 32))))
            (local.set $result (i32.const 0))
            (local.set $frame (i32.add (local.get $at) (i32.const 28)))
            (local.set $next (i32.add (local.get $at) (local.get $total)))
            (local.set $time (f64.convert_i32_u (i32.load offset=12 align=1 (local.get $at))))
            (if (i32.eq (local.get $format) (i32.const 2))
              (then
                (local.set $time
                  (f64.add
                    (f64.mul (local.get $time) (f64.const 4294967296))
                    (f64.convert_i32_u (i32.load offset=16 align=1 (local.get $at))))))
              (else
                (local.set $time
                  (f64.add
                    (f64.mul (local.get $time) (f64.const 4294967))
                    (f64.div
                      (f64.floor
                        (f64.div
                          (f64.add
                            (f64.mul (local.get $time) (f64.const 296))
                            (f64.convert_i32_u (i32.load offset=16 align=1 (local.get $at))))
                          (f64.const 500)))
                      (f64.const 2))))))))
        ;; Ordinary packets are shorter.
        (local.set $result
          (i32.or
            (i32.gt_u (local.get $captured) (i32.const 0x20000))
            (i32.gt_u (local.get $length) (i32.const 0x20000))))
        (br_if $over (local.get $result))
        (br_if $over (i32.gt_u (local.get $next) (local.get $limit)))
        (if (i32.ge_u (local.get $format) (i32.const 2))
          (then
            (local.set $result
              (i32.ne (i32.load align=1 (i32.sub (local.get $next) (i32.const 4))) (local.get $total)))
            (br_if $over (local.get $result))))

        (local.set $keeps (i32.const 1))
        (block $known
          ;; A sweep is due: `SweepClock.due`.
          (if
            (i32.eqz
              (i32.and
                (f64.lt (local.get $time) (local.get $due))
                (f64.ge (local.get $time) (f64.sub (local.get $due) (f64.const 2000000 (;2 * SWEEP_US;))))))
            (then
              (local.set $due (f64.add (local.get $time) (f64.const 1000000)))
              (br $known)))
          ;; Ethernet, then IPv4 without options, whole, no fragment.
          (br_if $known
            (i32.or
              (i32.ne (local.get $captured) (local.get $length))
              (i32.lt_u (local.get $captured) (i32.const 42))))
          (local.set $head (i64.load offset=12 align=1 (local.get $frame)))
          (br_if $known
            (i32.ne (i32.and (i32.wrap_i64 (local.get $head)) (i32.const 0xffffff)) (i32.const 0x450008)))
          (local.set $size 
            (i32.or
              (i32.and (i32.wrap_i64 (i64.shr_u (local.get $head) (i64.const 24))) (i32.const 0xff00))
              (i32.and (i32.wrap_i64 (i64.shr_u (local.get $head) (i64.const 40))) (i32.const 0xff))))
          (br_if $known
            (i32.or
              (i32.lt_u (local.get $size) (i32.const 28))
              (i32.gt_u (local.get $size) (i32.sub (local.get $captured) (i32.const 14)))))
          (local.set $size (i32.load offset=20 align=1 (local.get $frame)))
          (br_if $known (i32.and (local.get $size) (i32.const 0xff3f)))
          (local.set $size (i32.shr_u (local.get $size) (i32.const 24)))
          (br_if $known
            (i32.and (i32.ne (local.get $size) (i32.const 6)) (i32.ne (local.get $size) (i32.const 17))))
          ;; Both ports, in little-endian order.
          (local.set $ports (i32.load offset=34 align=1 (local.get $frame)))
          (local.set $ports
            (i32.or
              (i32.shl (i32.and (local.get $ports) (i32.const 0xff00ff)) (i32.const 8))
              (i32.and (i32.shr_u (local.get $ports) (i32.const 8)) (i32.const 0xff00ff))))
          (if (i32.load offset=32 (;LOOKUPS;) (local.get $s))
            (then
              (br_if $known
                (i32.or
                  (call $lookup (i32.and (local.get $ports) (i32.const 0xffff)))
                  (call $lookup (i32.shr_u (local.get $ports) (i32.const 16)))))))
          (if (i32.eq (local.get $size) (i32.const 17))
            (then (br_if $known (call $overlay (i32.shr_u (local.get $ports) (i32.const 16))))))
          ;; `flowHash`
          (local.set $hash
                      (i32.add
                        (i32.mul
                          (i32.add
                            (i32.mul
                              (i32.load offset=26 align=1 (local.get $frame))
                              (i32.ge_u
                                (i32.and (local.get $ports) (i32.const 0xffff))
                                (i32.shr_u (local.get $ports) (i32.const 16))))
                            (i32.mul
                              (i32.load offset=30 align=1 (local.get $frame))
                              (i32.le_u
                                (i32.and (local.get $ports) (i32.const 0xffff))
                                (i32.shr_u (local.get $ports) (i32.const 16)))))
                          (i32.const 0x85ebca9f))
                        (i32.mul
                          (select
                            (i32.and (local.get $ports) (i32.const 0xffff))
                            (i32.shr_u (local.get $ports) (i32.const 16))
                            (i32.ge_u
                              (i32.and (local.get $ports) (i32.const 0xffff))
                              (i32.shr_u (local.get $ports) (i32.const 16))))
                          (i32.const 0x9e3779b1))))
          (local.set $moved (i32.load offset=44 (;MOVED;) (local.get $s)))
          ;; A SYN with the number of another flow's shows that another shard may follow its connection.
          (if (i32.eq (local.get $size) (i32.const 6))
            (then
              (br_if $known (i32.lt_u (local.get $captured) (i32.const 48)))
              (if
                (i32.eq
                  (i32.and (i32.load8_u offset=47 (local.get $frame)) (i32.const 18))
                  (i32.const 2))
                (then
                  (local.set $out (i32.load offset=38 align=1 (local.get $frame)))
                  (local.set $size
                    (i32.add
                      (i32.load offset=48 (;SYNS;) (local.get $s))
                      (i32.shl
                        (i32.shr_u (i32.mul (local.get $out) (i32.const 0x9e3779b1)) (i32.const 18))
                        (i32.const 3))))
                  (if (i32.ne (i32.load (local.get $size)) (local.get $out))
                    (then
                      (i32.store (local.get $size) (local.get $out))
                      (i32.store offset=4 (local.get $size) (local.get $hash)))
                    (else
                      (if (i32.ne (i32.load offset=4 (local.get $size)) (local.get $hash))
                        (then
                          (local.set $moved
                            (i32.add (local.get $moved) (i32.shr_u (local.get $hash) (i32.const 18))))
                          (i32.store8
                            (local.get $moved)
                            (i32.or
                              (i32.load8_u (local.get $moved))
                              (i32.shl
                                (i32.const 1)
                                (i32.and (i32.shr_u (local.get $hash) (i32.const 15)) (i32.const 7)))))))))
                  (br $known)))))
          (local.set $keeps
            (i32.eq
              (i32.wrap_i64
                (i64.shr_u
                  (i64.mul
                    (i64.extend_i32_u (local.get $hash))
                    (i64.load32_u offset=28 (;SHARDS;) (local.get $s)))
                  (i64.const 32)))
              (i32.load offset=24 (;SHARD;) (local.get $s))))
          ;; `ConnectionOwners.moved`
          (local.set $keeps
            (i32.or
              (local.get $keeps)
              (i32.and
                (i32.shr_u
                  (i32.load8_u (i32.add (local.get $moved) (i32.shr_u (local.get $hash) (i32.const 18))))
                  (i32.and (i32.shr_u (local.get $hash) (i32.const 15)) (i32.const 7)))
                (i32.const 1)))))

        ;; Ownership is unpredictable, so the loop is branch-free.
        (i32.store (local.get $entry) (local.get $at))
        (i32.store offset=4 (local.get $entry) (local.get $next))
        (local.set $entry (i32.add (local.get $entry) (i32.shl (local.get $keeps) (i32.const 3))))
        (local.set $packets (i32.add (local.get $packets) (i32.sub (i32.const 1) (local.get $keeps))))
        (local.set $bytes
          (i32.add
            (local.get $bytes)
            (i32.and (local.get $captured) (i32.sub (local.get $keeps) (i32.const 1)))))
        (local.set $last (local.get $captured))
        (local.set $at (local.get $next))
        (br $each)))
    ;; The last one stays, because later code uses the last packet.
    (if (i32.eqz (local.get $keeps))
      (then
        (local.set $entry (i32.add (local.get $entry) (i32.const 8)))
        (local.set $packets (i32.sub (local.get $packets) (i32.const 1)))
        (local.set $bytes (i32.sub (local.get $bytes) (local.get $last)))))
    (i32.store (;AT;) (local.get $s) (local.get $at))
    (i32.store offset=8 (;PACKETS;) (local.get $s) (local.get $packets))
    (i32.store offset=12 (;BYTES;) (local.get $s) (local.get $bytes))
    ;; Move the kept records together.
    (local.set $out (i32.load offset=40 (;OUT;) (local.get $s)))
    (local.set $last (local.get $out))
    (block $moved
      (loop $each
        (br_if $moved (i32.eq (local.get $list) (local.get $entry)))
        (local.set $at (i32.load (local.get $list)))
        (local.set $next (i32.load offset=4 (local.get $list)))
        (loop $more
          (if (i32.ne (i32.add (local.get $list) (i32.const 8)) (local.get $entry))
            (then
              (if (i32.eq (i32.load offset=8 (local.get $list)) (local.get $next))
                (then
                  (local.set $next (i32.load offset=12 (local.get $list)))
                  (local.set $list (i32.add (local.get $list) (i32.const 8)))
                  (br $more))))))
        (memory.copy (local.get $out) (local.get $at) (i32.sub (local.get $next) (local.get $at)))
        (local.set $out (i32.add (local.get $out) (i32.sub (local.get $next) (local.get $at))))
        (local.set $list (i32.add (local.get $list) (i32.const 8)))
        (br $each)))
    (i32.store offset=4 (;KEPT;) (local.get $s) (i32.sub (local.get $out) (local.get $last)))
    (local.get $result)))
