;; The fast path of `PacketBlocks` for plain packets: known interface, Ethernet header, no stripped VLAN tag, aligned to 4
;; bytes. It copies them as enhanced packet blocks of pcapng, and stops at any other packet or when the buffer is full.
;; packet-copy.ts describes its parameters and results.
(module
  (import "memory" "memory" (memory 1))

  (func $mix (param $hash i64) (param $value i64) (result i64)
    (local.set $hash (i64.mul (i64.xor (local.get $hash) (local.get $value)) (i64.const 0x9e3779b97f4a7c15)))
    (i64.xor (local.get $hash) (i64.shr_u (local.get $hash) (i64.const 32))))

  ;; Whether the IP packet at [$ip, $end) was just seen on another interface: see `PacketDeduplicator`. The table has 8192
  ;; slots of 16 bytes: a 64-bit hash, the interface, the time.
  (func $isDuplicate (export "isDuplicate")
    (param $table i32) (param $ip i32) (param $end i32) (param $interface i32) (param $micros i32) (result i32)
    (local $hash i64) (local $version i32) (local $protocol i32) (local $at i32) (local $stop i32) (local $slot i32)
    (local.set $version (i32.shr_u (i32.load8_u (local.get $ip)) (i32.const 4)))
    (if (i32.eq (local.get $version) (i32.const 4))
      (then
        ;; Length, identification and fragment offset; then the addresses.
        (local.set $protocol (i32.load8_u offset=9 (local.get $ip)))
        (local.set $hash
          (call $mix
            (i64.const 0)
            (i64.or
              (i64.load32_u offset=2 (local.get $ip))
              (i64.or
                (i64.shl (i64.load16_u offset=6 (local.get $ip)) (i64.const 32))
                (i64.shl (i64.extend_i32_u (local.get $protocol)) (i64.const 48))))))
        (local.set $hash (call $mix (local.get $hash) (i64.load offset=12 (local.get $ip))))
        (local.set $at
          (i32.add
            (local.get $ip)
            (i32.shl (i32.and (i32.load8_u (local.get $ip)) (i32.const 15)) (i32.const 2)))))
      (else
        (if (i32.ne (local.get $version) (i32.const 6)) (then (return (i32.const 0))))
        (local.set $protocol (i32.load8_u offset=6 (local.get $ip)))
        (local.set $hash
          (call $mix (i64.const 0) (i64.and (i64.load32_u offset=4 (local.get $ip)) (i64.const 0xffffff))))
        (local.set $hash (call $mix (local.get $hash) (i64.load offset=8 (local.get $ip))))
        (local.set $hash (call $mix (local.get $hash) (i64.load offset=16 (local.get $ip))))
        (local.set $hash (call $mix (local.get $hash) (i64.load offset=24 (local.get $ip))))
        (local.set $hash (call $mix (local.get $hash) (i64.load offset=32 (local.get $ip))))
        (local.set $at (i32.add (local.get $ip) (i32.const 40)))))
    ;; Too short to identify it.
    (if (i32.gt_u (i32.add (local.get $at) (i32.const 8)) (local.get $end)) (then (return (i32.const 0))))
    ;; Ports, then the sequence numbers of TCP, or the first bytes after length and checksum.
    (if (i32.eq (local.get $protocol) (i32.const 6))
      (then
        (local.set $hash (call $mix (local.get $hash) (i64.load (local.get $at))))
        (local.set $stop (i32.add (local.get $at) (i32.const 16))))
      (else
        (local.set $hash
          (call $mix (local.get $hash) (i64.and (i64.load (local.get $at)) (i64.const 0xffffffffffff))))
        (local.set $stop (i32.add (local.get $at) (i32.const 40)))))
    (if (i32.gt_u (local.get $stop) (local.get $end)) (then (local.set $stop (local.get $end))))
    (local.set $at (i32.add (local.get $at) (i32.const 8)))
    (block $mixed
      (loop $words
        (br_if $mixed (i32.gt_u (i32.add (local.get $at) (i32.const 8)) (local.get $stop)))
        (local.set $hash (call $mix (local.get $hash) (i64.load (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $words)))
    (if (i32.lt_u (local.get $at) (local.get $stop))
      (then
        (local.set $hash
          (call $mix
            (local.get $hash)
            (i64.and
              (i64.load (local.get $at))
              (i64.sub
                (i64.shl
                  (i64.const 1)
                  (i64.extend_i32_u (i32.shl (i32.sub (local.get $stop) (local.get $at)) (i32.const 3))))
                (i64.const 1)))))))
    (local.set $slot
      (i32.add
        (local.get $table)
        (i32.shl (i32.wrap_i64 (i64.shr_u (local.get $hash) (i64.const 51))) (i32.const 4))))
    (if
      (i32.and
        (i64.eq (i64.load (local.get $slot)) (local.get $hash))
        (i32.and
          (i32.ne (i32.load offset=8 (local.get $slot)) (local.get $interface))
          (i32.lt_u (i32.sub (local.get $micros) (i32.load offset=12 (local.get $slot))) (i32.const 20000))))
      (then (return (i32.const 1))))
    (i64.store (local.get $slot) (local.get $hash))
    (i32.store offset=8 (local.get $slot) (local.get $interface))
    (i32.store offset=12 (local.get $slot) (local.get $micros))
    (i32.const 0))

  ;; Offset of the IP header of an Ethernet frame, after at most one VLAN tag; 0 if there is none.
  (func $network (export "network") (param $frame i32) (result i32)
    (local $type i32)
    (local.set $type (i32.load16_u offset=12 (local.get $frame)))
    (if (i32.or (i32.eq (local.get $type) (i32.const 0x0008)) (i32.eq (local.get $type) (i32.const 0xdd86)))
      (then (return (i32.add (local.get $frame) (i32.const 14)))))
    (if (i32.eq (local.get $type) (i32.const 0x0081)) (then (return (i32.add (local.get $frame) (i32.const 18)))))
    (i32.const 0))

  (func (export "copy")
    (param $state i32) (param $at i32) (param $remaining i32) (param $to i32) (param $limit i32)
    (local $interface i32) (local $known i32) (local $block i32) (local $table i32) (local $ip i32)
    (local $first i64) (local $last i64) (local $time i64)
    (local $source i32) (local $target i32) (local $captured i32) (local $size i32) (local $end i32) (local $tail i32)
    (local.set $first (i64.trunc_f64_u (f64.load offset=32 (;FIRST;) (local.get $state))))
    (local.set $last (i64.trunc_f64_u (f64.load offset=40 (;LAST;) (local.get $state))))
    (i32.store offset=52 (;DUPLICATES;) (local.get $state) (i32.const 0))
    (block $stop
      (loop $next
        (br_if $stop (i32.eqz (local.get $remaining)))
        ;; struct sockaddr_ll, behind struct tpacket3_hdr: sll_ifindex, sll_hatype
        (local.set $interface (i32.load offset=52 (local.get $at)))
        ;; 256 slots of 16 bytes after the state: interface, hardware type, pcapng id, table of the deduplicator or 0
        (local.set $known
          (i32.add (local.get $state) (i32.shl (i32.and (local.get $interface) (i32.const 255)) (i32.const 4))))
        (br_if $stop (i32.ne (i32.load offset=64 (;INTERFACES;) (local.get $known)) (local.get $interface)))
        (br_if $stop
          (i32.ne (i32.load offset=68 (;INTERFACES+4;) (local.get $known)) (i32.load16_u offset=56 (local.get $at))))
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
        (local.set $table (i32.load offset=76 (;INTERFACES+12;) (local.get $known)))
        (if (local.get $table)
          (then
            (local.set $ip (call $network (local.get $source)))
            (if (local.get $ip)
              (then
                (if
                  (call $isDuplicate
                    (local.get $table)
                    (local.get $ip)
                    (i32.add (local.get $source) (local.get $captured))
                    (local.get $interface)
                    (i32.wrap_i64 (local.get $time)))
                  (then
                    (i32.store
                      offset=52 (;DUPLICATES;)
                      (local.get $state)
                      (i32.add (i32.load offset=52 (;DUPLICATES;) (local.get $state)) (i32.const 1)))
                    (local.set $at (i32.add (local.get $at) (i32.load (local.get $at))))
                    (local.set $remaining (i32.sub (local.get $remaining) (i32.const 1)))
                    (br $next)))))))
        (local.set $first
          (select (local.get $time) (local.get $first) (i64.lt_u (local.get $time) (local.get $first))))
        (local.set $last
          (select (local.get $time) (local.get $last) (i64.gt_u (local.get $time) (local.get $last))))
        (local.set $block (local.get $to))
        (i32.store (local.get $to) (i32.const 6))
        (i32.store offset=4 (local.get $to) (local.get $size))
        (i32.store offset=8 (local.get $to) (i32.load offset=72 (;INTERFACES+8;) (local.get $known)))
        (i32.store offset=12 (local.get $to) (i32.wrap_i64 (i64.shr_u (local.get $time) (i64.const 32))))
        (i32.store offset=16 (local.get $to) (i32.wrap_i64 (local.get $time)))
        (i32.store offset=20 (local.get $to) (local.get $captured))
        ;; tp_len
        (i32.store offset=24 (local.get $to) (i32.load offset=16 (local.get $at)))
        (local.set $target (i32.add (local.get $to) (i32.const 28)))
        (local.set $end (i32.add (local.get $target) (local.get $captured)))
        (local.set $to (i32.add (local.get $to) (local.get $size)))
        ;; 32 bytes at a time: the excess is overwritten by the next block.
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
    (i32.store (;AT;) (local.get $state) (local.get $at))
    (i32.store offset=4 (;REMAINING;) (local.get $state) (local.get $remaining))
    (i32.store offset=8 (;TO;) (local.get $state) (local.get $to))
    (i32.store offset=28 (;BLOCK;) (local.get $state) (local.get $block))
    (f64.store offset=32 (;FIRST;) (local.get $state) (f64.convert_i64_u (local.get $first)))
    (f64.store offset=40 (;LAST;) (local.get $state) (f64.convert_i64_u (local.get $last)))))
