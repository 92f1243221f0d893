;; Walks enhanced packet blocks, counts them, and stops at each whose ends were not noted in the region yet. See ends-walk.ts
;; for what it is given and what it leaves there.
(module
  (import "memory" "memory" (memory 1))
  (func (export "walk")
    (param $state i32) (param $at i32) (param $end i32) (param $region i32)
    (param $early f64) (param $late f64)
    (local $size i32) (local $packets i32)
    (local $first i64) (local $last i64) (local $time i64)
    (local $interface i32) (local $middle i32) (local $protocol i32) (local $port i32)
    (local $second i32) (local $third i32) (local $fourth i32) (local $edges i32) (local $place i32)
    (local.set $packets (i32.load offset=12 (;PACKETS;) (local.get $state)))
    (local.set $first (i64.trunc_f64_u (local.get $early)))
    (local.set $last (i64.trunc_f64_u (local.get $late)))
    (block $stop
      (loop $next
        (br_if $stop (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $size (i32.load offset=4 (local.get $at)))
        ;; Not a packet block: the caller handles it.
        (br_if $stop (i32.ne (i32.load (local.get $at)) (i32.const 6)))
        (br_if $stop (i32.lt_u (local.get $size) (i32.const 32)))
        (local.set $time
          (i64.or
            (i64.shl (i64.load32_u offset=12 (local.get $at)) (i64.const 32))
            (i64.load32_u offset=16 (local.get $at))))
        (local.set $first
          (select (local.get $time) (local.get $first) (i64.lt_u (local.get $time) (local.get $first))))
        (local.set $last
          (select (local.get $time) (local.get $last) (i64.gt_u (local.get $time) (local.get $last))))
        (local.set $packets (i32.add (local.get $packets) (i32.const 1)))
        ;; Whether its interface has Ethernet headers: one byte for each of 512 interfaces follows the state.
        (local.set $interface (i32.load offset=8 (local.get $at)))
        (br_if $stop (i32.ge_u (local.get $interface) (i32.const 512)))
        (br_if $stop
          (i32.eqz (i32.load8_u offset=64 (;ETHERNET;) (i32.add (local.get $state) (local.get $interface)))))
        ;; Captured up to the ports; EtherType and first byte of an IPv4 header without options.
        (br_if $stop (i32.lt_u (i32.load offset=20 (local.get $at)) (i32.const 38)))
        (br_if $stop
          (i32.ne (i32.and (i32.load offset=40 (local.get $at)) (i32.const 0xffffff)) (i32.const 0x450008)))
        ;; Fragments do not tell their ports.
        (local.set $middle (i32.load offset=48 (local.get $at)))
        (br_if $stop (i32.and (local.get $middle) (i32.const 0xff3f)))
        (local.set $protocol (i32.shr_u (local.get $middle) (i32.const 24)))
        (local.set $fourth (i32.load offset=64 (local.get $at)))
        (if (i32.ne (local.get $protocol) (i32.const 6))
          (then
            (br_if $stop (i32.ne (local.get $protocol) (i32.const 17)))
            ;; Overlays, in the order of bytes on the wire: others talk inside of these. 4789, 8472, 6081.
            (local.set $port (i32.and (local.get $fourth) (i32.const 0xffff)))
            (br_if $stop (i32.eq (local.get $port) (i32.const 0xb512)))
            (br_if $stop (i32.eq (local.get $port) (i32.const 0x1821)))
            (br_if $stop (i32.eq (local.get $port) (i32.const 0xc117)))))
        (local.set $second (i32.load offset=56 (local.get $at)))
        (local.set $third (i32.load offset=60 (local.get $at)))
        (local.set $edges
          (i32.or
            (i32.shr_u (i32.load offset=52 (local.get $at)) (i32.const 16))
            (i32.shl (local.get $fourth) (i32.const 16))))
        ;; 4096 places of 16 bytes each, behind the interfaces.
        (local.set $place
          (i32.add
            (local.get $state)
            (i32.shl
              (i32.shr_u
                (i32.mul
                  (i32.xor
                    (i32.xor (local.get $second) (i32.mul (local.get $third) (i32.const 0x85ebca6b)))
                    (i32.mul (local.get $edges) (i32.const 0xc2b2ae35)))
                  (i32.const 0x9e3779b1))
                (i32.const 20))
              (i32.const 4))))
        (if
          (i32.or
            (i32.or
              (i32.xor (i32.load offset=576 (;PLACES;) (local.get $place)) (local.get $second))
              (i32.xor (i32.load offset=580 (;PLACES+4;) (local.get $place)) (local.get $third)))
            (i32.or
              (i32.xor (i32.load offset=584 (;PLACES+8;) (local.get $place)) (local.get $edges))
              (i32.xor (i32.load offset=588 (;PLACES+12;) (local.get $place)) (local.get $region))))
          (then
            (i32.store offset=576 (;PLACES;) (local.get $place) (local.get $second))
            (i32.store offset=580 (;PLACES+4;) (local.get $place) (local.get $third))
            (i32.store offset=584 (;PLACES+8;) (local.get $place) (local.get $edges))
            (i32.store offset=588 (;PLACES+12;) (local.get $place) (local.get $region))
            (br $stop)))
        (local.set $at (i32.add (local.get $at) (local.get $size)))
        (br $next)))
    (i32.store (;AT;) (local.get $state) (local.get $at))
    (i32.store offset=12 (;PACKETS;) (local.get $state) (local.get $packets))
    (f64.store offset=16 (;FIRST;) (local.get $state) (f64.convert_i64_u (local.get $first)))
    (f64.store offset=24 (;LAST;) (local.get $state) (f64.convert_i64_u (local.get $last)))))
