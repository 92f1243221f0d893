;; The loop of `PacketBlocks` for what nearly all packets are: of one interface with Ethernet headers, without a tag that the
;; kernel took out, beginning at a multiple of 4. It copies them as enhanced packet blocks of pcapng and stops at the first
;; that is anything else, or has no room. See plain-packets.ts for what it is given and what it leaves there.
(module
  (import "memory" "memory" (memory 1))
  (func (export "copy") (param $state i32)
    (local $at i32) (local $remaining i32) (local $to i32) (local $limit i32)
    (local $interface i32) (local $hardware i32) (local $id i32) (local $block i32)
    (local $first i64) (local $last i64) (local $time i64)
    (local $source i32) (local $target i32) (local $captured i32) (local $size i32) (local $end i32) (local $tail i32)
    (local.set $at (i32.load (local.get $state)))
    (local.set $remaining (i32.load offset=4 (local.get $state)))
    (local.set $to (i32.load offset=8 (local.get $state)))
    (local.set $limit (i32.load offset=12 (local.get $state)))
    (local.set $interface (i32.load offset=16 (local.get $state)))
    (local.set $hardware (i32.load offset=20 (local.get $state)))
    (local.set $id (i32.load offset=24 (local.get $state)))
    (local.set $first (i64.trunc_f64_u (f64.load offset=32 (local.get $state))))
    (local.set $last (i64.trunc_f64_u (f64.load offset=40 (local.get $state))))
    (block $stop
      (loop $next
        (br_if $stop (i32.eqz (local.get $remaining)))
        ;; struct sockaddr_ll, behind struct tpacket3_hdr: sll_ifindex, sll_hatype
        (br_if $stop (i32.ne (i32.load offset=52 (local.get $at)) (local.get $interface)))
        (br_if $stop (i32.ne (i32.load16_u offset=56 (local.get $at)) (local.get $hardware)))
        ;; tp_status: TP_STATUS_VLAN_VALID
        (br_if $stop (i32.and (i32.load offset=20 (local.get $at)) (i32.const 16)))
        ;; tp_mac
        (local.set $source (i32.add (local.get $at) (i32.load16_u offset=24 (local.get $at))))
        (br_if $stop (i32.and (local.get $source) (i32.const 3)))
        ;; tp_snaplen
        (local.set $captured (i32.load offset=12 (local.get $at)))
        (local.set $size
          (i32.add (i32.const 32) (i32.and (i32.add (local.get $captured) (i32.const 3)) (i32.const -4))))
        (br_if $stop (i32.gt_u (i32.add (local.get $to) (local.get $size)) (local.get $limit)))
        ;; tp_sec, tp_nsec
        (local.set $time
          (i64.add
            (i64.mul (i64.load32_u offset=4 (local.get $at)) (i64.const 1000000))
            (i64.extend_i32_u (i32.div_u (i32.load offset=8 (local.get $at)) (i32.const 1000)))))
        (local.set $first
          (select (local.get $time) (local.get $first) (i64.lt_u (local.get $time) (local.get $first))))
        (local.set $last
          (select (local.get $time) (local.get $last) (i64.gt_u (local.get $time) (local.get $last))))
        (local.set $block (local.get $to))
        (i32.store (local.get $to) (i32.const 6))
        (i32.store offset=4 (local.get $to) (local.get $size))
        (i32.store offset=8 (local.get $to) (local.get $id))
        (i32.store offset=12 (local.get $to) (i32.wrap_i64 (i64.shr_u (local.get $time) (i64.const 32))))
        (i32.store offset=16 (local.get $to) (i32.wrap_i64 (local.get $time)))
        (i32.store offset=20 (local.get $to) (local.get $captured))
        ;; tp_len
        (i32.store offset=24 (local.get $to) (i32.load offset=16 (local.get $at)))
        (local.set $target (i32.add (local.get $to) (i32.const 28)))
        (local.set $end (i32.add (local.get $target) (local.get $captured)))
        (local.set $to (i32.add (local.get $to) (local.get $size)))
        ;; 32 bytes at a time: what is too much lies behind the block, where the next one comes.
        (loop $copy
          (v128.store (local.get $target) (v128.load (local.get $source)))
          (v128.store offset=16 (local.get $target) (v128.load offset=16 (local.get $source)))
          (local.set $source (i32.add (local.get $source) (i32.const 32)))
          (local.set $target (i32.add (local.get $target) (i32.const 32)))
          (br_if $copy (i32.lt_u (local.get $target) (local.get $end))))
        ;; Padding is zero.
        (local.set $tail (i32.and (local.get $captured) (i32.const 3)))
        (if (local.get $tail)
          (then
            (i32.store
              (i32.sub (local.get $to) (i32.const 8))
              (i32.and
                (i32.load (i32.sub (local.get $to) (i32.const 8)))
                (i32.sub (i32.shl (i32.const 1) (i32.shl (local.get $tail) (i32.const 3))) (i32.const 1))))))
        (i32.store (i32.sub (local.get $to) (i32.const 4)) (local.get $size))
        ;; tp_next_offset
        (local.set $at (i32.add (local.get $at) (i32.load (local.get $at))))
        (local.set $remaining (i32.sub (local.get $remaining) (i32.const 1)))
        (br $next)))
    (i32.store (local.get $state) (local.get $at))
    (i32.store offset=4 (local.get $state) (local.get $remaining))
    (i32.store offset=8 (local.get $state) (local.get $to))
    (i32.store offset=28 (local.get $state) (local.get $block))
    (f64.store offset=32 (local.get $state) (f64.convert_i64_u (local.get $first)))
    (f64.store offset=40 (local.get $state) (f64.convert_i64_u (local.get $last)))))
