;; The program of line-heads.ts: `wat2wasm line-heads.wat`, then base64, which stands in line-heads-program.ts.
;; It settles lines by their heads, which were understood before and lie in tables here, and by the place of their id. Places and
;; sizes in memory are those of line-heads.ts. A line feed stands behind the bytes, so that every search ends.
(module
  (memory (export "memory") 88)

  ;; The first line feed from $p on.
  (func $feed (param $p i32) (result i32)
    (local $feeds v128) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
    (local.set $feeds (i8x16.splat (i32.const 0x0a)))
    (loop $next
      (local.set $a (i8x16.eq (v128.load (local.get $p)) (local.get $feeds)))
      (local.set $b (i8x16.eq (v128.load offset=16 (local.get $p)) (local.get $feeds)))
      (local.set $c (i8x16.eq (v128.load offset=32 (local.get $p)) (local.get $feeds)))
      (local.set $d (i8x16.eq (v128.load offset=48 (local.get $p)) (local.get $feeds)))
      (if (i32.eqz (v128.any_true
            (v128.or (v128.or (local.get $a) (local.get $b)) (v128.or (local.get $c) (local.get $d)))))
        (then (local.set $p (i32.add (local.get $p) (i32.const 64))) (br $next))))
    (i32.add (local.get $p) (i32.wrap_i64 (i64.ctz (i64.or
      (i64.or (i64.extend_i32_u (i8x16.bitmask (local.get $a)))
              (i64.shl (i64.extend_i32_u (i8x16.bitmask (local.get $b))) (i64.const 16)))
      (i64.or (i64.shl (i64.extend_i32_u (i8x16.bitmask (local.get $c))) (i64.const 32))
              (i64.shl (i64.extend_i32_u (i8x16.bitmask (local.get $d))) (i64.const 48))))))))

  ;; The first line feed from $p on, or the first quote before it behind which the byte $second stands.
  (func $seek (param $p i32) (param $second i32) (result i32)
    (local $feeds v128) (local $quotes v128) (local $seconds v128) (local $a v128) (local $b v128)
    (local.set $feeds (i8x16.splat (i32.const 0x0a)))
    (local.set $quotes (i8x16.splat (i32.const 0x22)))
    (local.set $seconds (i8x16.splat (local.get $second)))
    (loop $next
      (local.set $a (v128.load (local.get $p)))
      (local.set $b (v128.load offset=16 (local.get $p)))
      (local.set $a (v128.or (i8x16.eq (local.get $a) (local.get $feeds))
        (v128.and (i8x16.eq (local.get $a) (local.get $quotes))
                  (i8x16.eq (v128.load offset=1 (local.get $p)) (local.get $seconds)))))
      (local.set $b (v128.or (i8x16.eq (local.get $b) (local.get $feeds))
        (v128.and (i8x16.eq (local.get $b) (local.get $quotes))
                  (i8x16.eq (v128.load offset=17 (local.get $p)) (local.get $seconds)))))
      (if (i32.eqz (v128.any_true (v128.or (local.get $a) (local.get $b))))
        (then (local.set $p (i32.add (local.get $p) (i32.const 32))) (br $next))))
    (i32.add (local.get $p) (i32.ctz
      (i32.or (i8x16.bitmask (local.get $a)) (i32.shl (i8x16.bitmask (local.get $b)) (i32.const 16))))))

  ;; The first line feed from $p on, or the first key "uuid" before it that has a string.
  (func $nextId (param $p i32) (result i32)
    (loop $next
      (local.set $p (call $seek (local.get $p) (i32.const 0x75)))
      (if (i32.and (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x22))
                   (i64.ne (i64.load (local.get $p)) (i64.const 0x223a226469757522)))
        (then (local.set $p (i32.add (local.get $p) (i32.const 1))) (br $next))))
    (local.get $p))

  ;; Whether the same $n bytes stand at $p and at $q. Heads of one session begin alike and end differently.
  (func $equal (param $p i32) (param $q i32) (param $n i32) (result i32) (local $i i32)
    (if (i32.lt_u (local.get $n) (i32.const 16))
      (then
        (loop $byte
          (if (i32.ge_u (local.get $i) (local.get $n)) (then (return (i32.const 1))))
          (if (i32.ne (i32.load8_u (i32.add (local.get $p) (local.get $i)))
                      (i32.load8_u (i32.add (local.get $q) (local.get $i))))
            (then (return (i32.const 0))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br $byte))))
    (local.set $n (i32.sub (local.get $n) (i32.const 16)))
    (if (v128.any_true (v128.xor (v128.load (i32.add (local.get $p) (local.get $n)))
                                 (v128.load (i32.add (local.get $q) (local.get $n)))))
      (then (return (i32.const 0))))
    (loop $next
      (if (i32.ge_s (local.get $i) (local.get $n)) (then (return (i32.const 1))))
      (if (v128.any_true (v128.xor (v128.load (i32.add (local.get $p) (local.get $i)))
                                   (v128.load (i32.add (local.get $q) (local.get $i)))))
        (then (return (i32.const 0))))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br $next))
    (unreachable))

  (func $zeroIn (param $word i32) (result i32)
    (i32.and (i32.and (i32.sub (local.get $word) (i32.const 0x01010101)) (i32.xor (local.get $word) (i32.const -1)))
             (i32.const 0x80808080)))

  ;; `keyOf` of main-line.ts, written to $out. False: a quote, a backslash or a line feed is among the bytes, and the number is 0.
  (func $key (param $out i32) (param $p i32) (param $end i32) (result i32)
    (local $a i32) (local $b i32) (local $odd i32) (local $word i32)
    (local.set $a (i32.const 0x811c9dc5))
    (local.set $b (i32.const 0x2f0b4c47))
    (loop $next
      (local.set $word (i32.load (local.get $p)))
      (if (i32.lt_s (i32.sub (local.get $end) (local.get $p)) (i32.const 4))
        (then (local.set $word (i32.and (local.get $word) (i32.sub
          (i32.shl (i32.const 1) (i32.shl (i32.sub (local.get $end) (local.get $p)) (i32.const 3))) (i32.const 1))))))
      (local.set $odd (i32.or (i32.or (local.get $odd) (call $zeroIn (i32.xor (local.get $word) (i32.const 0x0a0a0a0a)))) (i32.or
        (call $zeroIn (i32.xor (local.get $word) (i32.const 0x22222222)))
        (call $zeroIn (i32.xor (local.get $word) (i32.const 0x5c5c5c5c))))))
      (local.set $a (i32.mul (i32.xor (local.get $a) (local.get $word)) (i32.const 0x9e3779b1)))
      (local.set $a (i32.xor (local.get $a) (i32.shr_u (local.get $a) (i32.const 15))))
      (local.set $b (i32.mul (i32.xor (local.get $b) (local.get $word)) (i32.const 0x85ebca6b)))
      (local.set $b (i32.xor (local.get $b) (i32.shr_u (local.get $b) (i32.const 13))))
      (local.set $p (i32.add (local.get $p) (i32.const 4)))
      (br_if $next (i32.lt_s (local.get $p) (local.get $end))))
    (if (local.get $odd) (then (f64.store (local.get $out) (f64.const 0)) (return (i32.const 0))))
    (f64.store (local.get $out) (f64.add (f64.const 1) (f64.add
      (f64.mul (f64.convert_i32_u (local.get $a)) (f64.const 0x200000))
      (f64.convert_i32_u (i32.shr_u (local.get $b) (i32.const 11))))))
    (i32.const 1))

  ;; Where the string ends that begins at $p, or $p if it has an escape or is too long for that to be looked for.
  (func $textEnd (param $p i32) (result i32) (local $at i32) (local $c i32)
    (local.set $at (local.get $p))
    (loop $next
      (local.set $c (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $c) (i32.const 0x22)) (then (return (local.get $at))))
      (if (i32.or (i32.eq (local.get $c) (i32.const 0x5c)) (i32.eq (local.get $c) (i32.const 0x0a)))
        (then (return (local.get $p))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (i32.sub (local.get $at) (local.get $p)) (i32.const 64))))
    (local.get $p))

  ;; The last id of a line that ends before $end, if nothing that could hold another one stands behind it; else 0.
  (func $lastId (param $from i32) (param $end i32) (result i32)
    (local $v v128) (local $stops i32) (local $found i32) (local $bit i32)
    (local.set $end (i32.sub (local.get $end) (i32.const 1)))
    (if (i32.ne (i32.load8_u (local.get $end)) (i32.const 0x7d)) (then (return (i32.const 0))))
    (loop $before
      (if (i32.le_u (local.get $end) (local.get $from)) (then (return (i32.const 0))))
      (local.set $end (i32.sub (local.get $end) (i32.const 16)))
      (local.set $v (v128.load (local.get $end)))
      (local.set $stops (i8x16.bitmask (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x7d)))
                                                (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x5c))))))
      (local.set $found (i8x16.bitmask (v128.and (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22)))
        (i8x16.eq (v128.load offset=1 (local.get $end)) (i8x16.splat (i32.const 0x75))))))
      (loop $nextFound
        (if (local.get $found)
          (then
            (local.set $bit (i32.sub (i32.const 31) (i32.clz (local.get $found))))
            (local.set $found (i32.xor (local.get $found) (i32.shl (i32.const 1) (local.get $bit))))
            (br_if $nextFound (i64.ne (i64.load (i32.add (local.get $end) (local.get $bit))) (i64.const 0x223a226469757522)))
            (if (i32.or (i32.shr_u (local.get $stops) (local.get $bit))
                        (i32.lt_u (i32.add (local.get $end) (local.get $bit)) (local.get $from)))
              (then (return (i32.const 0))))
            (return (i32.add (i32.add (local.get $end) (local.get $bit)) (i32.const 8))))))
      (br_if $before (i32.eqz (local.get $stops))))
    (i32.const 0))

  ;; A string had an escape since this was set to 0.
  (global $escaped (mut i32) (i32.const 0))

  (func $isHex (param $c i32) (result i32)
    (i32.or (i32.lt_u (i32.sub (local.get $c) (i32.const 0x30)) (i32.const 10))
            (i32.lt_u (i32.sub (i32.or (local.get $c) (i32.const 0x20)) (i32.const 0x61)) (i32.const 6))))

  ;; Where the string of JSON ends that begins at $p, or 0 if it is none.
  (func $stringEnd (param $p i32) (result i32) (local $v v128) (local $m i32) (local $bit i32) (local $at i32) (local $c i32)
    (loop $next
      (local.set $v (v128.load (local.get $p)))
      (local.set $m (i8x16.bitmask (v128.or (i8x16.lt_u (local.get $v) (i8x16.splat (i32.const 0x20)))
        (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22)))
                 (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x5c)))))))
      (loop $nextBit
        (if (local.get $m)
          (then
            (local.set $bit (i32.ctz (local.get $m)))
            (local.set $at (i32.add (local.get $p) (local.get $bit)))
            (local.set $c (i32.load8_u (local.get $at)))
            (if (i32.eq (local.get $c) (i32.const 0x22)) (then (return (local.get $at))))
            (if (i32.ne (local.get $c) (i32.const 0x5c)) (then (return (i32.const 0))))
            (global.set $escaped (i32.const 1))
            (local.set $c (i32.load8_u offset=1 (local.get $at)))
            ;; One of "\/bfnrt, as bits from 0x22 on, and from 0x5c on.
            (if (i32.or (i32.or (i32.eq (local.get $c) (i32.const 0x22)) (i32.eq (local.get $c) (i32.const 0x2f)))
                  (i32.and (i32.lt_u (i32.sub (local.get $c) (i32.const 0x5c)) (i32.const 25))
                           (i32.shr_u (i32.const 0x1440441) (i32.sub (local.get $c) (i32.const 0x5c)))))
              (then
                ;; What is escaped is passed: in these bytes, or as the first of the next.
                (local.set $m (i32.and (local.get $m) (i32.xor (i32.shl (i32.const 3) (local.get $bit)) (i32.const -1))))
                (br_if $nextBit (i32.lt_u (local.get $bit) (i32.const 15)))
                (local.set $p (i32.add (local.get $p) (i32.const 1))))
              (else
                (if (i32.ne (local.get $c) (i32.const 0x75)) (then (return (i32.const 0))))
                (if (i32.eqz (i32.and
                      (i32.and (call $isHex (i32.load8_u offset=2 (local.get $at))) (call $isHex (i32.load8_u offset=3 (local.get $at))))
                      (i32.and (call $isHex (i32.load8_u offset=4 (local.get $at))) (call $isHex (i32.load8_u offset=5 (local.get $at))))))
                  (then (return (i32.const 0))))
                (local.set $p (i32.add (local.get $at) (i32.const 6)))
                (br $next))))))
      (local.set $p (i32.add (local.get $p) (i32.const 16)))
      (br $next))
    (unreachable))

  ;; Behind the digits that stand at $p, or 0 if there is none.
  (func $digits (param $p i32) (result i32) (local $from i32)
    (local.set $from (local.get $p))
    (loop $next
      (if (i32.lt_u (i32.sub (i32.load8_u (local.get $p)) (i32.const 0x30)) (i32.const 10))
        (then (local.set $p (i32.add (local.get $p) (i32.const 1))) (br $next))))
    (select (local.get $p) (i32.const 0) (i32.ne (local.get $p) (local.get $from))))

  ;; Behind the number of JSON that stands at $p, or 0 if there is none.
  (func $number (param $p i32) (result i32) (local $from i32)
    (local.set $p (i32.add (local.get $p) (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2d))))
    (local.set $from (local.get $p))
    (local.set $p (call $digits (local.get $p)))
    (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
    (if (i32.and (i32.eq (i32.load8_u (local.get $from)) (i32.const 0x30))
                 (i32.ne (i32.sub (local.get $p) (local.get $from)) (i32.const 1)))
      (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2e))
      (then
        (local.set $p (call $digits (i32.add (local.get $p) (i32.const 1))))
        (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))))
    (if (i32.eq (i32.or (i32.load8_u (local.get $p)) (i32.const 0x20)) (i32.const 0x65))
      (then
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (local.set $p (i32.add (local.get $p) (i32.or (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2b))
                                                      (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2d)))))
        (return (call $digits (local.get $p)))))
    (local.get $p))

  ;; Behind the value of JSON that stands at $p without white space, or 0 if there is none, or one that is nested too deep.
  (func $value (param $p i32) (param $depth i32) (result i32) (local $c i32) (local $close i32)
    (local.set $c (i32.load8_u (local.get $p)))
    (if (i32.eq (local.get $c) (i32.const 0x22))
      (then
        (local.set $p (call $stringEnd (i32.add (local.get $p) (i32.const 1))))
        (return (i32.add (local.get $p) (i32.ne (local.get $p) (i32.const 0))))))
    (if (i32.or (i32.eq (local.get $c) (i32.const 0x7b)) (i32.eq (local.get $c) (i32.const 0x5b)))
      (then
        (if (i32.gt_u (local.get $depth) (i32.const 200)) (then (return (i32.const 0))))
        (local.set $close (i32.add (local.get $c) (i32.const 2)))
        (if (i32.eq (i32.load8_u offset=1 (local.get $p)) (local.get $close))
          (then (return (i32.add (local.get $p) (i32.const 2)))))
        (loop $next
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (if (i32.eq (local.get $close) (i32.const 0x7d))
            (then
              (local.set $p (call $keyEnd (local.get $p)))
              (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
              (local.set $p (i32.add (local.get $p) (i32.const 2)))))
          (local.set $p (call $value (local.get $p) (i32.add (local.get $depth) (i32.const 1))))
          (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
          (br_if $next (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2c))))
        (return (select (i32.add (local.get $p) (i32.const 1)) (i32.const 0)
                        (i32.eq (i32.load8_u (local.get $p)) (local.get $close))))))
    (if (i32.or (i32.eq (i32.load (local.get $p)) (i32.const 0x65757274)) ;; true
                (i32.eq (i32.load (local.get $p)) (i32.const 0x6c6c756e))) ;; null
      (then (return (i32.add (local.get $p) (i32.const 4)))))
    (if (i32.and (i32.eq (local.get $c) (i32.const 0x66)) (i32.eq (i32.load offset=1 (local.get $p)) (i32.const 0x65736c61))) ;; false
      (then (return (i32.add (local.get $p) (i32.const 5)))))
    (call $number (local.get $p)))

  ;; Where the key ends whose quote stands at $p and behind which a colon stands; or 0.
  (func $keyEnd (param $p i32) (result i32)
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x22)) (then (return (i32.const 0))))
    (local.set $p (call $stringEnd (i32.add (local.get $p) (i32.const 1))))
    (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
    (select (local.get $p) (i32.const 0) (i32.eq (i32.load8_u offset=1 (local.get $p)) (i32.const 0x3a))))

  ;; The next member is told here: where its key and its value begin and end, and how many objects stand around it.
  (global $out (mut i32) (i32.const 0))

  ;; Whether the key at $out stands in its object, which begins at $p, once more.
  (func $isTwice (param $p i32) (param $depth i32) (result i32) (local $at i32) (local $n i32)
    (local.set $at (global.get $out))
    (local.set $n (i32.sub (i32.load offset=4 (local.get $at)) (i32.load (local.get $at))))
    (loop $before
      (local.set $at (i32.sub (local.get $at) (i32.const 20)))
      (if (i32.or (i32.lt_u (local.get $at) (i32.const 0x151800)) (i32.lt_u (i32.load (local.get $at)) (local.get $p)))
        (then (return (i32.const 0))))
      (br_if $before (i32.ne (i32.load offset=16 (local.get $at)) (local.get $depth)))
      (br_if $before (i32.ne (i32.sub (i32.load offset=4 (local.get $at)) (i32.load (local.get $at))) (local.get $n)))
      (br_if $before (i32.eqz (call $equal (i32.load (local.get $at)) (i32.load (global.get $out)) (local.get $n)))))
    (i32.const 1))

  ;; Behind the object of JSON that stands at $p, whose members are told, and those of the objects in it; or 0 if there is none, or one with
  ;; a key twice, a key with an escape, or too many members.
  (func $members (param $p i32) (param $depth i32) (result i32) (local $begin i32) (local $own i32)
    (local.set $begin (local.get $p))
    (if (i32.eq (i32.load16_u (local.get $p)) (i32.const 0x7d7b)) (then (return (i32.add (local.get $p) (i32.const 2)))))
    (loop $next
      (local.set $own (global.get $out))
      (if (i32.ge_u (local.get $own) (i32.const 0x152200)) (then (return (i32.const 0))))
      (global.set $escaped (i32.const 0))
      (local.set $p (i32.add (local.get $p) (i32.const 1)))
      (i32.store (local.get $own) (i32.add (local.get $p) (i32.const 1)))
      (local.set $p (call $keyEnd (local.get $p)))
      (if (i32.or (i32.eqz (local.get $p)) (global.get $escaped)) (then (return (i32.const 0))))
      (i32.store offset=4 (local.get $own) (local.get $p))
      (if (call $isTwice (local.get $begin) (local.get $depth)) (then (return (i32.const 0))))
      (local.set $p (i32.add (local.get $p) (i32.const 2)))
      (i32.store offset=8 (local.get $own) (local.get $p))
      (i32.store offset=16 (local.get $own) (local.get $depth))
      (global.set $out (i32.add (local.get $own) (i32.const 20)))
      (local.set $p (if (result i32) (i32.and (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x7b)) (i32.lt_u (local.get $depth) (i32.const 3)))
        (then (call $members (local.get $p) (i32.add (local.get $depth) (i32.const 1))))
        (else (call $value (local.get $p) (local.get $depth)))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (i32.store offset=12 (local.get $own) (local.get $p))
      (br_if $next (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2c))))
    (select (i32.add (local.get $p) (i32.const 1)) (i32.const 0) (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x7d))))

  ;; Behind the last member that is told of the object of JSON that stands from $p to $end, or 0 if it is none whose members can be told.
  (func (export "object") (param $p i32) (param $end i32) (result i32)
    (global.set $out (i32.const 0x151800))
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x7b)) (then (return (i32.const 0))))
    (local.set $p (call $members (local.get $p) (i32.const 0)))
    (select (global.get $out) (i32.const 0) (i32.eq (local.get $p) (local.get $end))))

  ;; What the tool's name that begins at $p stands for in the table at $names, or 0.
  (func $nameAt (param $p i32) (param $names i32) (result i32) (local $n i32)
    (local.set $n (call $textEnd (local.get $p)))
    (if (i32.eq (local.get $n) (local.get $p)) (then (return (i32.const 0))))
    (local.set $n (i32.sub (local.get $n) (local.get $p)))
    (loop $next
      (if (i32.eqz (i32.load (local.get $names))) (then (return (i32.const 0))))
      (if (i32.eq (i32.load (local.get $names)) (local.get $n))
        (then (if (call $equal (local.get $p) (i32.add (local.get $names) (i32.const 16)) (local.get $n))
          (then (return (i32.load offset=4 (local.get $names)))))))
      (local.set $names (i32.add (local.get $names) (i32.const 128)))
      (br $next))
    (unreachable))

  ;; What the tool stands for in the table at $names that is called where `"type":"tool_use"` ends at $p, if its id and its name follow at
  ;; once; else 0.
  (func $callAt (param $p i32) (param $names i32) (result i32) (local $end i32)
    (if (i64.ne (i64.load (i32.sub (local.get $p) (i32.const 1))) (i64.const 0x223a226469222c22)) ;; ","id":"
      (then (return (i32.const 0))))
    (local.set $p (i32.add (local.get $p) (i32.const 7)))
    (local.set $end (call $textEnd (local.get $p)))
    (if (i32.or (i32.eq (local.get $end) (local.get $p))
                (i32.or (i64.ne (i64.load (local.get $end)) (i64.const 0x22656d616e222c22)) ;; ","name"
                        (i32.ne (i32.load16_u offset=8 (local.get $end)) (i32.const 0x223a))))
      (then (return (i32.const 0))))
    (call $nameAt (i32.add (local.get $end) (i32.const 10)) (local.get $names)))

  ;; A line of Claude Code's that begins at $p, told at $out. The answer is where it ends, or 0 if it was not settled.
  (func $claudeLine (param $p i32) (param $out i32) (result i32)
    (local $head i32) (local $index i32) (local $n i32) (local $kind i32) (local $from i32) (local $at i32) (local $own i32)
    (local $flags i32) (local $class i32)
    (if (i32.or (i64.ne (i64.load (local.get $p)) (i64.const 0x746e65726170227b)) ;; {"parent
                (i64.ne (i64.load offset=7 (local.get $p)) (i64.const 0x223a226469755574))) ;; tUuid":"
      (then
        (local.set $head (i32.const 0x145000))
        (loop $nextOther
          (local.set $n (i32.load (local.get $head)))
          (if (i32.eqz (local.get $n)) (then (return (i32.const 0))))
          (if (i32.eqz (call $equal (local.get $p) (i32.add (local.get $head) (i32.const 16)) (local.get $n)))
            (then (local.set $head (i32.add (local.get $head) (i32.const 128))) (br $nextOther))))
        (i32.store offset=28 (local.get $out) (i32.const 0x800))
        (return (call $feed (i32.add (local.get $p) (local.get $n))))))
    (local.set $head (i32.const 0x141000))
    (block $found
      (loop $nextHead
        (local.set $n (i32.load (local.get $head)))
        (if (i32.eqz (local.get $n)) (then (return (i32.const 0))))
        (if (call $equal (i32.add (local.get $p) (i32.const 51)) (i32.add (local.get $head) (i32.const 32)) (local.get $n))
          (then
            (local.set $from (i32.add (i32.add (local.get $p) (i32.const 51)) (local.get $n)))
            (local.set $kind (i32.load offset=4 (local.get $head)))
            (br_if $found (i32.ne (local.get $kind) (i32.const 4)))
            (local.set $at (call $textEnd (local.get $from)))
            (if (i32.ne (local.get $at) (local.get $from))
              (then (br_if $found (call $equal (local.get $at) (i32.add (local.get $head) (i32.const 560))
                                               (i32.load offset=8 (local.get $head))))))))
        (local.set $head (i32.add (local.get $head) (i32.const 1024)))
        (local.set $index (i32.add (local.get $index) (i32.const 1)))
        (br $nextHead)))
    (if (i32.eqz (call $key (i32.add (local.get $out) (i32.const 8)) (i32.add (local.get $p) (i32.const 15))
                            (i32.add (local.get $p) (i32.const 51))))
      (then (return (i32.const 0))))
    (f64.store offset=16 (local.get $out) (f64.const 0))
    (block $settled
      (if (i32.eq (local.get $kind) (i32.const 4)) ;; assistant
        (then
          (drop (call $key (i32.add (local.get $out) (i32.const 16)) (local.get $from) (local.get $at)))
          (local.set $from (local.get $at))
          (loop $nextType
            (local.set $at (call $seek (local.get $at) (i32.const 0x74)))
            (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x22))
              (then
                (if (i32.and (i32.and (i64.eq (i64.load (local.get $at)) (i64.const 0x223a226570797422)) ;; "type":"
                                      (i64.eq (i64.load offset=8 (local.get $at)) (i64.const 0x6573755f6c6f6f74))) ;; tool_use
                             (i32.eq (i32.load8_u offset=16 (local.get $at)) (i32.const 0x22)))
                  (then
                    (if (local.get $flags)
                      (then (local.set $flags (i32.or (local.get $flags) (i32.const 0x200))))
                      (else
                        (local.set $class (call $callAt (i32.add (local.get $at) (i32.const 17)) (i32.const 0x145800)))
                        (if (i32.eqz (local.get $class)) (then (return (i32.const 0))))
                        (local.set $flags (i32.or (i32.const 0x100)
                          (i32.shl (i32.sub (local.get $class) (i32.const 1)) (i32.const 9))))))))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (br $nextType))))
          (local.set $own (call $lastId (local.get $from) (local.get $at)))
          (br $settled)))
      (if (i32.eq (local.get $kind) (i32.const 2)) ;; progress
        (then
          (local.set $at (call $feed (local.get $from)))
          (local.set $own (call $lastId (local.get $from) (local.get $at)))
          (br $settled)))
      (local.set $at (call $nextId (local.get $from)))
      (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x0a)) (then (return (i32.const 0))))
      (local.set $own (i32.add (local.get $at) (i32.const 8)))
      (if (i32.eq (local.get $kind) (i32.const 1)) ;; result
        (then
          (if (i32.ne (i32.load (i32.sub (local.get $at) (i32.const 4))) (i32.const 0x2c7d5d7d)) (then (return (i32.const 0))))) ;; }]},
        (else ;; attachment
          (if (i32.or (i64.ne (i64.load (i32.sub (local.get $at) (i32.const 22))) (i64.const 0x2265707974222c7d)) ;; },"type"
              (i32.or (i64.ne (i64.load (i32.sub (local.get $at) (i32.const 14))) (i64.const 0x686361747461223a)) ;; :"attach
                      (i64.ne (i64.load (i32.sub (local.get $at) (i32.const 8))) (i64.const 0x2c22746e656d6863)))) ;; chment",
            (then (return (i32.const 0))))))
      (local.set $at (call $nextId (local.get $own)))
      (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x0a)) (then (return (i32.const 0)))))
    (if (i32.eqz (local.get $own)) (then (return (i32.const 0))))
    (if (i32.or (i32.ge_u (i32.add (local.get $own) (i32.const 36)) (local.get $at))
                (i32.ne (i32.load8_u offset=36 (local.get $own)) (i32.const 0x22)))
      (then (return (i32.const 0))))
    (if (i32.eqz (call $key (local.get $out) (local.get $own) (i32.add (local.get $own) (i32.const 36))))
      (then (return (i32.const 0))))
    (i32.store offset=28 (local.get $out) (i32.or (local.get $flags) (local.get $index)))
    (local.get $at))

  ;; Lines from $p on, as far as they are settled and have ended before $end. The answer is how many were told.
  (func (export "claude") (param $p i32) (param $end i32) (result i32) (local $out i32) (local $at i32)
    (local.set $out (i32.const 0x151800))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
        (br_if $done (i32.ge_u (local.get $out) (i32.const 0x15ff00)))
        (local.set $at (call $claudeLine (local.get $p) (local.get $out)))
        (br_if $done (i32.or (i32.eqz (local.get $at)) (i32.ge_u (local.get $at) (local.get $end))))
        (i32.store offset=24 (local.get $out) (local.get $at))
        (local.set $p (i32.add (local.get $at) (i32.const 1)))
        (local.set $out (i32.add (local.get $out) (i32.const 32)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $out) (i32.const 0x151800)) (i32.const 5)))

  ;; Whether a time begins at $p as the clients print it, so that no other field begins within it, and its string ends behind it.
  (func $isTime (param $p i32) (result i32)
    (i32.eqz (v128.any_true (v128.or (v128.or
      (i8x16.eq (v128.load (local.get $p)) (i8x16.splat (i32.const 0x0a)))
      (i8x16.eq (v128.load offset=8 (local.get $p)) (i8x16.splat (i32.const 0x0a))))
      (v128.or
      (v128.xor (v128.and (v128.load (local.get $p)) (v128.const i8x16 0 0 0 0 255 0 0 255 0 0 255 0 0 255 0 0))
                (v128.const i8x16 0 0 0 0 0x2d 0 0 0x2d 0 0 0x54 0 0 0x3a 0 0))
      (v128.xor (v128.and (v128.load offset=9 (local.get $p)) (v128.const i8x16 0 0 0 0 0 0 0 255 0 0 255 0 0 0 255 255))
                (v128.const i8x16 0 0 0 0 0 0 0 0x3a 0 0 0x2e 0 0 0 0x5a 0x22)))))))

  ;; Where the comma stands behind the time of a line of Codex's, and behind its number if it has one; or 0.
  (func $codexHead (param $p i32) (result i32) (local $n i32)
    (if (i32.or (i64.ne (i64.load (local.get $p)) (i64.const 0x7473656d6974227b)) ;; {"timest
                (i64.ne (i64.load offset=6 (local.get $p)) (i64.const 0x223a22706d617473))) ;; stamp":"
      (then (return (i32.const 0))))
    (if (i32.eqz (call $isTime (i32.add (local.get $p) (i32.const 14)))) (then (return (i32.const 0))))
    (local.set $p (i32.add (local.get $p) (i32.const 39)))
    (if (i32.or (i64.ne (i64.load (local.get $p)) (i64.const 0x616e6964726f222c)) ;; ,"ordina
                (i32.ne (i32.load offset=7 (local.get $p)) (i32.const 0x3a226c61))) ;; al":
      (then (return (local.get $p))))
    (local.set $p (i32.add (local.get $p) (i32.const 11)))
    (loop $digit
      (if (i32.lt_u (i32.sub (i32.load8_u (local.get $p)) (i32.const 0x30)) (i32.const 10))
        (then
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (local.set $n (i32.add (local.get $n) (i32.const 1)))
          (br_if $digit (i32.lt_u (local.get $n) (i32.const 16))))))
    (if (i32.or (i32.gt_u (i32.sub (local.get $n) (i32.const 1)) (i32.const 14))
                (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x2c)))
      (then (return (i32.const 0))))
    (local.get $p))

  ;; Where the member is told whose name is the $n bytes of $name, of the payload of the line whose members are told; or 0.
  (func $inPayload (param $name i64) (param $n i32) (result i32) (local $at i32) (local $own i64) (local $length i32) (local $isPayload i32)
    (local.set $at (i32.const 0x151800))
    (loop $next
      (if (i32.ge_u (local.get $at) (global.get $out)) (then (return (i32.const 0))))
      (local.set $length (i32.sub (i32.load offset=4 (local.get $at)) (i32.load (local.get $at))))
      (local.set $own (i64.and (i64.load (i32.load (local.get $at))) (i64.const 0xffffffffffffff)))
      (if (i32.eqz (i32.load offset=16 (local.get $at)))
        (then (local.set $isPayload (i32.and (i32.eq (local.get $length) (i32.const 7)) (i64.eq (local.get $own) (i64.const 0x64616f6c796170)))))
        (else
          (if (i32.and (i32.eq (i32.load offset=16 (local.get $at)) (i32.const 1))
                       (i32.and (local.get $isPayload) (i32.eq (local.get $length) (local.get $n))))
            (then
              (if (i64.eqz (i64.shl (i64.xor (local.get $own) (local.get $name)) (i64.extend_i32_u (i32.sub (i32.const 64) (i32.shl (local.get $n) (i32.const 3))))))
                (then (return (local.get $at))))))))
      (local.set $at (i32.add (local.get $at) (i32.const 20)))
      (br $next))
    (unreachable))

  ;; Where the line of Codex's ends that begins at $p if it is JSON, whose members are told then; else 0.
  (func $codexMembers (param $p i32) (result i32)
    (global.set $out (i32.const 0x151800))
    (local.set $p (call $members (local.get $p) (i32.const 0)))
    (select (local.get $p) (i32.const 0) (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x0a))))

  ;; Whether the member that is told at $at is the model that is expected.
  (func $isModel (param $at i32) (result i32) (local $n i32)
    (local.set $n (i32.load (i32.const 0x164800)))
    (if (i32.or (i32.eqz (local.get $at)) (i32.eqz (local.get $n))) (then (return (i32.const 0))))
    (if (i32.ne (i32.sub (i32.load offset=12 (local.get $at)) (i32.load offset=8 (local.get $at))) (local.get $n)) (then (return (i32.const 0))))
    (call $equal (i32.load offset=8 (local.get $at)) (i32.const 0x164810) (local.get $n)))

  ;; Where the context of a turn ends that begins at $p, and whose payload begins at $at, if it has the model that is expected; else 0. Most are
  ;; the same as the one before, but for the id of the turn.
  (func $quietContext (param $p i32) (param $at i32) (result i32) (local $from i32) (local $n i32)
    (if (i32.and (i64.eq (i64.load (local.get $at)) (i64.const 0x64695f6e72757422)) ;; "turn_id
                 (i32.eq (i32.load offset=7 (local.get $at)) (i32.const 0x223a2264))) ;; d":"
      (then
        (local.set $from (i32.add (local.get $at) (i32.const 11)))
        (local.set $at (call $textEnd (local.get $from)))
        (if (i32.eq (local.get $at) (local.get $from))
          (then (local.set $from (i32.const 0)))
          (else
            (local.set $n (i32.load (i32.const 0x164900)))
            (if (local.get $n)
              (then (if (call $equal (local.get $at) (i32.const 0x164910) (local.get $n))
                (then (return (i32.sub (i32.add (local.get $at) (local.get $n)) (i32.const 1)))))))))))
    (local.set $p (call $codexMembers (local.get $p)))
    (if (i32.or (i32.eqz (local.get $p)) (i32.eqz (call $isModel (call $inPayload (i64.const 0x6c65646f6d) (i32.const 5)))))
      (then (return (i32.const 0))))
    (local.set $n (i32.sub (i32.add (local.get $p) (i32.const 1)) (local.get $at)))
    (if (i32.and (i32.ne (local.get $from) (i32.const 0)) (i32.lt_u (local.get $n) (i32.const 0x8000)))
      (then
        (i32.store (i32.const 0x164900) (local.get $n))
        (memory.copy (i32.const 0x164910) (local.get $at) (local.get $n))))
    (local.get $p))

  ;; Passes lines of Codex's from $p on, as far as they are settled and have ended before $end. The answer is where the next one begins.
  ;; It is told how many were passed, how many of them call a tool and how many begin a turn, and of the next one its kind, where its head begins
  ;; and where it ends, and where the string stands that matters: the message that was said, the name of the tool, or the id of the call that is
  ;; answered. The kind is 0 if its head is not known. Outputs are not passed if the first bit of $stops
  ;; is set, and beginnings of turns if the second one is.
  (func (export "codex") (param $p i32) (param $end i32) (param $stops i32) (result i32)
    (local $at i32) (local $begin i32) (local $head i32) (local $n i32) (local $kind i32) (local $lines i32) (local $calls i32) (local $turns i32)
    (local $from i32) (local $to i32)
    (block $done
      (loop $next
        (local.set $kind (i32.const 0))
        (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
        (local.set $at (call $codexHead (local.get $p)))
        (br_if $done (i32.eqz (local.get $at)))
        (local.set $head (i32.const 0x147800))
        (loop $nextHead
          (local.set $n (i32.load (local.get $head)))
          (br_if $done (i32.eqz (local.get $n)))
          ;; Heads differ in their last bytes, and a call for each of them takes longer than this.
          (if (i64.ne (i64.load (i32.sub (i32.add (local.get $at) (local.get $n)) (i32.const 8)))
                      (i64.load offset=8 (i32.add (local.get $head) (local.get $n))))
            (then (local.set $head (i32.add (local.get $head) (i32.const 1024))) (br $nextHead)))
          (if (i32.eqz (call $equal (local.get $at) (i32.add (local.get $head) (i32.const 16)) (local.get $n)))
            (then (local.set $head (i32.add (local.get $head) (i32.const 1024))) (br $nextHead))))
        (local.set $kind (i32.load offset=4 (local.get $head)))
        (local.set $begin (local.get $at))
        (local.set $at (i32.add (local.get $at) (local.get $n)))
        (br_if $done (i32.or (i32.gt_u (local.get $kind) (i32.const 5))
          (i32.and (i32.eq (local.get $kind) (i32.const 5)) (i32.ge_u (local.get $stops) (i32.const 2)))))
        (if (i32.and (i32.eq (local.get $kind) (i32.const 2)) (i32.and (local.get $stops) (i32.const 1))) ;; output
          (then
            (loop $nextKey
              (local.set $at (call $seek (local.get $at) (i32.const 0x63)))
              (br_if $done (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x0a)))
              (if (i32.or (i64.ne (i64.load (local.get $at)) (i64.const 0x64695f6c6c616322)) ;; "call_id
                          (i64.ne (i64.load offset=3 (local.get $at)) (i64.const 0x223a2264695f6c6c))) ;; ll_id":"
                (then (local.set $at (i32.add (local.get $at) (i32.const 1))) (br $nextKey))))
            (local.set $from (i32.add (local.get $at) (i32.const 10)))
            (br $done)))
        (if (i32.eq (local.get $kind) (i32.const 3)) ;; call
          (then
            (loop $nextName
              (local.set $at (call $seek (local.get $at) (i32.const 0x6e)))
              (br_if $done (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x0a)))
              (if (i64.ne (i64.load (local.get $at)) (i64.const 0x223a22656d616e22)) ;; "name":"
                (then (local.set $at (i32.add (local.get $at) (i32.const 1))) (br $nextName))))
            (local.set $from (i32.add (local.get $at) (i32.const 7)))
            (br_if $done (i32.eqz (call $nameAt (i32.add (local.get $at) (i32.const 8)) (i32.const 0x14f800))))
            (local.set $from (i32.const 0))))
        (if (i32.eq (local.get $kind) (i32.const 4)) ;; context
          (then
            (local.set $head (call $quietContext (local.get $p) (local.get $at)))
            (br_if $done (i32.eqz (local.get $head)))
            (local.set $at (local.get $head))))
        (if (i32.eq (local.get $kind) (i32.const 5)) ;; turn
          (then
            (local.set $head (call $codexMembers (local.get $p)))
            (br_if $done (i32.eqz (local.get $head)))
            (local.set $at (local.get $head))))
        (local.set $at (call $feed (local.get $at)))
        (br_if $done (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $lines (i32.add (local.get $lines) (i32.const 1)))
        (local.set $calls (i32.add (local.get $calls) (i32.eq (local.get $kind) (i32.const 3))))
        (local.set $turns (i32.add (local.get $turns) (i32.eq (local.get $kind) (i32.const 5))))
        (local.set $p (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (if (i32.eq (local.get $kind) (i32.const 6)) ;; said
      (then
        (if (call $codexMembers (local.get $p))
          (then
            (local.set $n (call $inPayload (i64.const 0x6567617373656d) (i32.const 7))) ;; message
            (if (local.get $n)
              (then (local.set $from (i32.load offset=8 (local.get $n))) (local.set $to (i32.load offset=12 (local.get $n))))))))
      (else
        (if (local.get $from)
          (then
            (local.set $n (i32.add (local.get $from) (i32.const 1)))
            (local.set $to (i32.add (call $textEnd (local.get $n)) (i32.const 1)))
            (if (i32.lt_u (i32.sub (local.get $to) (local.get $n)) (i32.const 2)) (then (local.set $from (i32.const 0))))))))
    (i32.store (i32.const 0x151800) (local.get $lines))
    (i32.store (i32.const 0x151804) (local.get $calls))
    (i32.store (i32.const 0x151808) (local.get $turns))
    (i32.store (i32.const 0x15180c) (local.get $kind))
    (if (local.get $kind)
      (then
        (i32.store (i32.const 0x151810) (local.get $begin))
        (i32.store (i32.const 0x151814) (call $feed (local.get $at)))
        (i32.store (i32.const 0x151818) (local.get $from))
        (i32.store (i32.const 0x15181c) (local.get $to))))
    (local.get $p))

  ;; Where the next file is named that a patch in the line is about, or 0 if none is. It is -1 if an escape before it could hide one, or if a
  ;; plan call stands there.
  (func (export "file") (param $p i32) (result i32) (local $v v128) (local $w v128) (local $m i32) (local $at i32)
    (loop $next
      (local.set $v (v128.load (local.get $p)))
      (local.set $w (v128.load offset=1 (local.get $p)))
      (local.set $m (i8x16.bitmask (v128.or
        (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x0a)))
                 (v128.and (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x3a))) (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x20)))))
        (v128.or (v128.and (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x5c))) (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x75))))
                 (v128.and (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x5f))) (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x70))))))))
      (loop $nextFound
        (if (local.get $m)
          (then
            (local.set $at (i32.add (local.get $p) (i32.ctz (local.get $m))))
            (local.set $m (i32.and (local.get $m) (i32.sub (local.get $m) (i32.const 1))))
            (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x0a)) (then (return (i32.const 0))))
            (if (i32.or (i32.eq (i32.load (i32.sub (local.get $at) (i32.const 4))) (i32.const 0x656c6946)) ;; File
                        (i64.eq (i64.load (i32.sub (local.get $at) (i32.const 7))) (i64.const 0x3a6f742065766f4d))) ;; Move to:
              (then (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x3a)) (then (return (i32.add (local.get $at) (i32.const 2)))))))
            (if (i32.or (i32.eq (i32.load (local.get $at)) (i32.const 0x3030755c)) ;; \u00
                        (i32.and (i64.eq (i64.load (i32.sub (local.get $at) (i32.const 5))) (i64.const 0x6c705f6574616470)) ;; pdate_pl
                                 (i32.eq (i32.load offset=2 (local.get $at)) (i32.const 0x286e616c)))) ;; lan(
              (then (return (i32.const -1))))
            (br $nextFound))))
      (local.set $p (i32.add (local.get $p) (i32.const 16)))
      (br $next))
    (unreachable))

  ;; The first line feed from $p on, or the first quote before it behind which an m, an n or a t stands.
  (func $seekKeys (param $p i32) (result i32) (local $v v128) (local $w v128) (local $m i32)
    (loop $next
      (local.set $v (v128.load (local.get $p)))
      (local.set $w (v128.load offset=16 (local.get $p)))
      ;; Most stretches have no quote and no line feed.
      (if (i32.eqz (v128.any_true (v128.or
            (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x0a))) (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22))))
            (v128.or (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x0a))) (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x22)))))))
        (then (local.set $p (i32.add (local.get $p) (i32.const 32))) (br $next)))
      (local.set $w (v128.load offset=1 (local.get $p)))
      (local.set $m (i8x16.bitmask (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x0a)))
        (v128.and (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22)))
                  (v128.or (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x6d)))
                           (v128.or (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x6e)))
                                    (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x74)))))))))
      (if (i32.eqz (local.get $m))
        (then (local.set $p (i32.add (local.get $p) (i32.const 16))) (br $next))))
    (i32.add (local.get $p) (i32.ctz (local.get $m))))

  ;; The line in which $p is, told at $out as what it is. The answer is where it ends, or 0 if it ends in another way than lines do.
  (func $geminiOther (param $p i32) (param $out i32) (param $what i32) (result i32)
    (local.set $p (call $feed (local.get $p)))
    (i32.store offset=28 (local.get $out) (local.get $what))
    (select (local.get $p) (i32.const 0) (i32.eq (i32.load8_u (i32.sub (local.get $p) (i32.const 1))) (i32.const 0x7d))))

  ;; The same of a line that sets something. Where it is known whose session it is, only a folder, a session, its kind and a compressed
  ;; history say more.
  (func $geminiSet (param $p i32) (param $out i32) (param $isKnown i32) (result i32) (local $word i64)
    (if (i32.and (i32.and (i64.eq (i64.load offset=8 (local.get $p)) (i64.const 0x70557473616c227b)) ;; {"lastUp
                          (i64.eq (i64.load offset=16 (local.get $p)) (i64.const 0x223a226465746164))) ;; dated":"
                 (i32.and (call $isTime (i32.add (local.get $p) (i32.const 24)))
                          (i32.eq (i32.load offset=48 (local.get $p)) (i32.const 0x0a7d7d22))))
      (then
        (i32.store offset=28 (local.get $out) (i32.const 1))
        (return (i32.add (local.get $p) (i32.const 51)))))
    (if (i32.or (i32.eqz (local.get $isKnown)) (i32.ne (i32.load16_u offset=8 (local.get $p)) (i32.const 0x227b)))
      (then (return (call $geminiOther (local.get $p) (local.get $out) (i32.const 8)))))
    (loop $next
      (local.set $p (call $seekSaid (local.get $p)))
      (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x0a))
        (then
          (local.set $word (i64.load (local.get $p)))
          (if (i32.or (i32.or (i64.eq (local.get $word) (i64.const 0x6f74636572696422)) ;; "directo
                              (i64.eq (local.get $word) (i64.const 0x6e6f697373657322))) ;; "session
                      (i32.or (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffffffff)) (i64.const 0x3a22646e696b22)) ;; "kind":
                              (i64.eq (local.get $word) (i64.const 0x735f65746174733c)))) ;; <state_s
            (then (return (call $geminiOther (local.get $p) (local.get $out) (i32.const 4)))))
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (br $next))))
    (call $geminiOther (local.get $p) (local.get $out) (i32.const 1)))

  ;; The first line feed from $p on, or before it the first quote before a d, a k or an s, or the first < before an s.
  (func $seekSaid (param $p i32) (result i32) (local $v v128) (local $w v128) (local $m i32)
    (loop $next
      (local.set $v (v128.load (local.get $p)))
      (local.set $w (v128.load offset=1 (local.get $p)))
      (local.set $m (i8x16.bitmask (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x0a)))
        (v128.or (v128.and (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22)))
                           (v128.or (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x64)))
                                    (v128.or (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x6b)))
                                             (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x73))))))
                 (v128.and (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x3c))) (i8x16.eq (local.get $w) (i8x16.splat (i32.const 0x73))))))))
      (if (i32.eqz (local.get $m))
        (then (local.set $p (i32.add (local.get $p) (i32.const 16))) (br $next))))
    (i32.add (local.get $p) (i32.ctz (local.get $m))))

  ;; A line of Gemini CLI's that begins at $p, told at $out. The answer is where it ends, or 0 if it was not settled. It is told of some
  ;; lines that they are to be parsed (4), or looked at more closely (8).
  (func $geminiLine (param $p i32) (param $out i32) (param $isKnown i32) (result i32)
    (local $at i32) (local $word i64) (local $flags i32) (local $model i32) (local $isUser i32) (local $means i32)
    (if (i64.eq (i64.load (local.get $p)) (i64.const 0x3a2274657324227b)) ;; {"$set":
      (then (return (call $geminiSet (local.get $p) (local.get $out) (local.get $isKnown)))))
    (if (i64.ne (i64.and (i64.load (local.get $p)) (i64.const 0xffffffffffffff)) (i64.const 0x223a226469227b)) ;; {"id":"
      (then (return (i32.const 0))))
    (local.set $at (i32.add (local.get $p) (i32.const 7)))
    (local.set $p (call $textEnd (local.get $at)))
    (if (i32.eq (local.get $p) (local.get $at)) (then (return (i32.const 0))))
    (if (i32.eqz (call $key (local.get $out) (local.get $at) (local.get $p))) (then (return (i32.const 0))))
    (if (i32.or (i64.ne (i64.load (local.get $p)) (i64.const 0x73656d6974222c22)) ;; ","times
                (i64.ne (i64.load offset=7 (local.get $p)) (i64.const 0x223a22706d617473))) ;; stamp":"
      (then (return (i32.const 0))))
    (local.set $p (i32.add (local.get $p) (i32.const 15)))
    (if (i32.eqz (call $isTime (local.get $p))) (then (return (i32.const 0))))
    (i32.store offset=16 (local.get $out) (local.get $p))
    (local.set $p (i32.add (local.get $p) (i32.const 24)))
    (if (i64.ne (i64.load (local.get $p)) (i64.const 0x2265707974222c22)) (then (return (i32.const 0)))) ;; ","type"
    (if (i64.eq (i64.load offset=8 (local.get $p)) (i64.const 0x2c2272657375223a)) ;; :"user",
      (then
        (if (i32.or (i32.or (i64.ne (i64.load offset=16 (local.get $p)) (i64.const 0x746e65746e6f6322)) ;; "content
                            (i64.ne (i64.load offset=24 (local.get $p)) (i64.const 0x6e7566227b5b3a22))) ;; ":[{"fun
                    (i32.or (i64.ne (i64.load offset=32 (local.get $p)) (i64.const 0x7365526e6f697463)) ;; ctionRes
                            (i64.ne (i64.load offset=39 (local.get $p)) (i64.const 0x3a2265736e6f7073)))) ;; sponse":
          ;; Where the answer of a tool would stand, something else stands.
          (then (return (call $geminiOther (local.get $p) (local.get $out)
            (select (i32.const 4) (i32.const 8)
              (i32.and (i64.eq (i64.load offset=16 (local.get $p)) (i64.const 0x746e65746e6f6322)) ;; "content
                       (i32.eq (i32.load16_u offset=24 (local.get $p)) (i32.const 0x3a22)))))))) ;; ":
        (local.set $isUser (i32.const 1)))
      (else
        (if (i32.or (i64.ne (i64.load offset=8 (local.get $p)) (i64.const 0x696e696d6567223a)) ;; :"gemini
                    (i32.ne (i32.load8_u offset=16 (local.get $p)) (i32.const 0x22)))
          (then (return (i32.const 0))))))
    (local.set $at (i32.add (local.get $p) (i32.const 16)))
    (loop $nextKey
      (local.set $at (call $seekKeys (local.get $at)))
      (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x22))
        (then
          (local.set $word (i64.load (local.get $at)))
          (if (i32.and (i64.eq (local.get $word) (i64.const 0x6c61436c6f6f7422)) (i64.eq (i64.load offset=4 (local.get $at)) (i64.const 0x3a22736c6c61436c))) ;; "toolCalls":
            (then
              (if (i32.or (local.get $isUser) (i32.ne (i32.load16_u offset=12 (local.get $at)) (i32.const 0x7b5b))) (then (return (i32.const 0))))
              (local.set $flags (i32.or (local.get $flags) (i32.const 2)))))
          (if (i32.and (local.get $isUser) (i64.eq (local.get $word) (i64.const 0x223a227478657422))) ;; "text":"
            (then (return (call $geminiOther (local.get $at) (local.get $out) (i32.const 4)))))
          (if (i32.and (i32.eqz (local.get $isUser)) (i64.eq (local.get $word) (i64.const 0x3a226c65646f6d22))) ;; "model":
            (then
              (if (i32.eqz (local.get $model))
                (then
                  (if (i32.or (local.get $flags) (i32.ne (i32.load8_u offset=8 (local.get $at)) (i32.const 0x22)))
                    (then (return (i32.const 0))))
                  (local.set $model (call $nameAt (i32.add (local.get $at) (i32.const 9)) (i32.const 0x162000)))
                  (if (i32.eqz (local.get $model)) (then (return (i32.const 0))))))))
          (if (i32.and (i32.eqz (local.get $isUser))
                       (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffffffff)) (i64.const 0x3a22656d616e22))) ;; "name":
            (then
              (if (i32.or (i32.eqz (local.get $flags)) (i32.ne (i32.load8_u offset=7 (local.get $at)) (i32.const 0x22)))
                (then (return (i32.const 0))))
              (local.set $means (call $nameAt (i32.add (local.get $at) (i32.const 8)) (i32.const 0x160000)))
              (if (i32.eqz (local.get $means)) (then (return (i32.const 0))))
              (if (i32.eq (local.get $means) (i32.const 4))
                (then (return (call $geminiOther (local.get $at) (local.get $out) (i32.const 4)))))
              (local.set $flags (i32.or (local.get $flags) (i32.and (local.get $means) (i32.const 16))))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $nextKey))))
    (if (i32.ne (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 0x7d)) (then (return (i32.const 0))))
    (i32.store offset=28 (local.get $out) (i32.or (local.get $flags) (i32.shl (local.get $model) (i32.const 8))))
    (local.get $at))

  ;; Lines of Gemini CLI's, as `claude` tells those of Claude Code, but for those that say nothing: of each line it is told where it begins, and
  ;; how many stand before it. Behind them all it is told where the next line begins, and how many stand before that.
  (func (export "gemini") (param $p i32) (param $end i32) (param $isKnown i32) (result i32) (local $out i32) (local $at i32) (local $lines i32)
    (local.set $out (i32.const 0x151800))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
        (br_if $done (i32.ge_u (local.get $out) (i32.const 0x15ff00)))
        (local.set $at (call $geminiLine (local.get $p) (local.get $out) (local.get $isKnown)))
        (br_if $done (i32.or (i32.eqz (local.get $at)) (i32.ge_u (local.get $at) (local.get $end))))
        (if (i32.ne (i32.load offset=28 (local.get $out)) (i32.const 1))
          (then
            (i32.store offset=8 (local.get $out) (local.get $p))
            (i32.store offset=12 (local.get $out) (local.get $lines))
            (i32.store offset=24 (local.get $out) (local.get $at))
            (local.set $out (i32.add (local.get $out) (i32.const 32)))))
        (local.set $lines (i32.add (local.get $lines) (i32.const 1)))
        (local.set $p (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (i32.store (i32.const 0x15fff0) (local.get $p))
    (i32.store (i32.const 0x15fff4) (local.get $lines))
    (i32.shr_u (i32.sub (local.get $out) (i32.const 0x151800)) (i32.const 5)))

  ;; Whether the eight bytes at $p + $n are these.
  (func $stands (param $p i32) (param $n i32) (param $word i64) (result i32)
    (i64.eq (i64.load (i32.add (local.get $p) (local.get $n))) (local.get $word)))

  ;; The line of Droid's that was settled last calls a tool.
  (global $called (mut i32) (i32.const 0))

  ;; Where the line of Droid's ends that begins at $p; or 0 if it was not settled. A person's line is settled if it holds results of tools, and
  ;; one of the model if it calls one tool at most, which stands in front or behind one text.
  (func $droidLine (param $p i32) (result i32) (local $at i32) (local $isUser i32)
    (global.set $called (i32.const 0))
    (if (i32.eqz (i32.and (call $stands (local.get $p) (i32.const 0) (i64.const 0x3a2265707974227b))
          (i32.and (call $stands (local.get $p) (i32.const 8) (i64.const 0x6567617373656d22))
                   (call $stands (local.get $p) (i32.const 16) (i64.const 0x223a226469222c22)))))
      (then (return (i32.const 0))))
    (local.set $at (i32.add (local.get $p) (i32.const 24)))
    (local.set $p (call $textEnd (local.get $at)))
    (if (i32.or (i32.eq (local.get $p) (local.get $at))
                (i32.eqz (i32.and (call $stands (local.get $p) (i32.const 0) (i64.const 0x73656d6974222c22))
                                  (call $stands (local.get $p) (i32.const 7) (i64.const 0x223a22706d617473)))))
      (then (return (i32.const 0))))
    (local.set $p (i32.add (local.get $p) (i32.const 15)))
    (if (i32.eqz (call $isTime (local.get $p))) (then (return (i32.const 0))))
    (local.set $p (i32.add (local.get $p) (i32.const 24)))
    (if (i32.eqz (i32.and (call $stands (local.get $p) (i32.const 0) (i64.const 0x617373656d222c22))
          (i32.and (call $stands (local.get $p) (i32.const 8) (i64.const 0x6f72227b3a226567))
                   (call $stands (local.get $p) (i32.const 13) (i64.const 0x223a22656c6f7222)))))
      (then (return (i32.const 0))))
    (local.set $p (i32.add (local.get $p) (i32.const 21)))
    (if (call $stands (local.get $p) (i32.const 0) (i64.const 0x63222c2272657375))
      (then
        (if (i32.eqz (i32.and
              (i32.and (call $stands (local.get $p) (i32.const 8) (i64.const 0x3a22746e65746e6f))
                       (call $stands (local.get $p) (i32.const 16) (i64.const 0x2265707974227b5b)))
              (i32.and (call $stands (local.get $p) (i32.const 24) (i64.const 0x725f6c6f6f74223a))
                       (call $stands (local.get $p) (i32.const 30) (i64.const 0x22746c757365725f)))))
          (then (return (i32.const 0))))
        (local.set $isUser (i32.const 1))
        (local.set $at (i32.add (local.get $p) (i32.const 38))))
      (else
        (if (i32.eqz (i32.and
              (i32.and (call $stands (local.get $p) (i32.const 0) (i64.const 0x6e61747369737361))
                       (call $stands (local.get $p) (i32.const 8) (i64.const 0x746e6f63222c2274)))
              (i32.and (call $stands (local.get $p) (i32.const 16) (i64.const 0x227b5b3a22746e65))
                       (call $stands (local.get $p) (i32.const 23) (i64.const 0x223a226570797422)))))
          (then (return (i32.const 0))))
        (local.set $at (i32.add (local.get $p) (i32.const 31)))
        (if (i32.eq (call $textEnd (local.get $at)) (local.get $at)) (then (return (i32.const 0))))
        (if (i32.and (call $stands (local.get $at) (i32.const 0) (i64.const 0x74222c2274786574))
                     (call $stands (local.get $at) (i32.const 6) (i64.const 0x223a227478657422)))
          (then
            (local.set $at (call $stringEnd (i32.add (local.get $at) (i32.const 14))))
            (if (i32.eqz (local.get $at)) (then (return (i32.const 0))))
            (if (i32.and (call $stands (local.get $at) (i32.const 0) (i64.const 0x707974227b2c7d22))
                         (call $stands (local.get $at) (i32.const 4) (i64.const 0x223a226570797422)))
              (then
                (local.set $at (i32.add (local.get $at) (i32.const 12)))
                (if (i32.eq (call $textEnd (local.get $at)) (local.get $at)) (then (return (i32.const 0))))))))
        (if (i32.and (call $stands (local.get $at) (i32.const 0) (i64.const 0x6573755f6c6f6f74))
                     (i32.eq (i32.load8_u offset=8 (local.get $at)) (i32.const 0x22)))
          (then
            (local.set $at (i32.add (local.get $at) (i32.const 9)))
            (if (i32.eqz (call $callAt (local.get $at) (i32.const 0x162800))) (then (return (i32.const 0))))
            (global.set $called (i32.const 1))))))
    (loop $nextKey
      (local.set $at (call $seekKeys (local.get $at)))
      (if (i32.eq (i32.load8_u (local.get $at)) (i32.const 0x22))
        (then
          (if (call $stands (local.get $at) (i32.const 0) (i64.const 0x3a226c65646f6d22)) (then (return (i32.const 0))))
          (if (call $stands (local.get $at) (i32.const 0) (i64.const 0x223a226570797422))
            (then
              (if (i32.or (i32.or (call $stands (local.get $at) (i32.const 8) (i64.const 0x6573755f6c6f6f74))
                                  (i32.eq (call $textEnd (i32.add (local.get $at) (i32.const 8))) (i32.add (local.get $at) (i32.const 8))))
                          (i32.and (i32.eqz (local.get $isUser)) (call $stands (local.get $at) (i32.const 8) (i64.const 0x7365725f6c6f6f74))))
                (then (return (i32.const 0))))))
          (local.set $at (i32.add (local.get $at) (i32.const 1)))
          (br $nextKey))))
    (select (local.get $at) (i32.const 0) (i32.eq (i32.load8_u (i32.sub (local.get $at) (i32.const 1))) (i32.const 0x7d))))

  ;; Passes lines of Droid's from $p on, as far as they are settled and have ended before $end. The answer is where the next one begins;
  ;; how many were passed, and how many of them call a tool, is told.
  (func (export "droid") (param $p i32) (param $end i32) (result i32) (local $at i32) (local $lines i32) (local $calls i32)
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
        (local.set $at (call $droidLine (local.get $p)))
        (br_if $done (i32.or (i32.eqz (local.get $at)) (i32.ge_u (local.get $at) (local.get $end))))
        (local.set $lines (i32.add (local.get $lines) (i32.const 1)))
        (local.set $calls (i32.add (local.get $calls) (global.get $called)))
        (local.set $p (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (i32.store (i32.const 0x151800) (local.get $lines))
    (i32.store (i32.const 0x151804) (local.get $calls))
    (local.get $p))

  ;; The lines of pi's. They are settled by all of their members, wherever those stand, and whatever else stands there.

  ;; How many calls of tools stand in the message that was settled last, how many blocks, and where the last text of a block or of the content
  ;; stands with its quotes; 0 if there is none.
  (global $calls (mut i32) (i32.const 0))
  (global $blocks (mut i32) (i32.const 0))
  (global $text (mut i32) (i32.const 0))
  (global $textTo (mut i32) (i32.const 0))

  ;; Where the string ends that begins at $p, if it is one of 1 to 63 characters of ASCII without escapes; else 0.
  (func $asciiEnd (param $p i32) (result i32) (local $at i32) (local $c i32)
    (local.set $at (local.get $p))
    (loop $next
      (local.set $c (i32.load8_u (local.get $at)))
      (if (i32.eq (local.get $c) (i32.const 0x22))
        (then (return (select (local.get $at) (i32.const 0) (i32.ne (local.get $at) (local.get $p))))))
      (if (i32.or (i32.gt_u (i32.sub (local.get $c) (i32.const 0x20)) (i32.const 0x5f)) (i32.eq (local.get $c) (i32.const 0x5c)))
        (then (return (i32.const 0))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (i32.sub (local.get $at) (local.get $p)) (i32.const 64))))
    (i32.const 0))

  ;; Where the key ends whose quote stands at $p, if it has no escape; else 0.
  (func $plainKeyEnd (param $p i32) (result i32)
    (global.set $escaped (i32.const 0))
    (local.set $p (call $keyEnd (local.get $p)))
    (select (i32.const 0) (local.get $p) (global.get $escaped)))

  ;; Where the name of a tool ends whose string stands with its quote at $p; or 0 if it is that of the list's, or hard to tell.
  (func $otherTool (param $p i32) (result i32) (local $end i32)
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x22)) (then (return (i32.const 0))))
    (local.set $end (call $asciiEnd (i32.add (local.get $p) (i32.const 1))))
    (select (i32.const 0) (local.get $end) (i32.and
      (i32.eq (i32.load offset=1 (local.get $p)) (i32.const 0x6f646f74)) ;; todo
      (i32.eq (i32.load8_u offset=5 (local.get $p)) (i32.const 0x22)))))

  ;; The value from $p to $end is the text, if it is one.
  (func $textAt (param $p i32) (param $end i32)
    (global.set $text (select (local.get $p) (i32.const 0) (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x22))))
    (global.set $textTo (local.get $end)))

  ;; Behind the block of a message that stands at $p; or 0 if it was not settled. A call is counted.
  (func $piBlock (param $p i32) (result i32) (local $key i32) (local $word i32) (local $isCall i32) (local $isText i32)
    (global.set $blocks (i32.add (global.get $blocks) (i32.const 1)))
    (if (i32.eq (i32.load16_u (local.get $p)) (i32.const 0x7d7b)) (then (return (i32.add (local.get $p) (i32.const 2)))))
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x7b)) (then (return (call $value (local.get $p) (i32.const 3)))))
    (loop $next
      (local.set $key (i32.add (local.get $p) (i32.const 2)))
      (local.set $p (call $plainKeyEnd (i32.add (local.get $p) (i32.const 1))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (if (i32.eq (i32.sub (local.get $p) (local.get $key)) (i32.const 4))
        (then
          (local.set $word (i32.load (local.get $key)))
          (if (i32.eq (local.get $word) (i32.const 0x65707974)) ;; type
            (then
              (if (i32.or (i32.ne (i32.load8_u offset=2 (local.get $p)) (i32.const 0x22))
                          (i32.eqz (call $asciiEnd (i32.add (local.get $p) (i32.const 3)))))
                (then (return (i32.const 0))))
              (local.set $isCall (i32.and (i64.eq (i64.load offset=3 (local.get $p)) (i64.const 0x6c6c61436c6f6f74)) ;; toolCall
                                          (i32.eq (i32.load8_u offset=11 (local.get $p)) (i32.const 0x22))))))
          (if (i32.eq (local.get $word) (i32.const 0x656d616e)) ;; name
            (then
              (if (i32.eqz (call $otherTool (i32.add (local.get $p) (i32.const 2)))) (then (return (i32.const 0))))))))
      (local.set $isText (i32.and (i32.eq (i32.sub (local.get $p) (local.get $key)) (i32.const 4))
                                  (i32.eq (i32.load (local.get $key)) (i32.const 0x74786574)))) ;; text
      (local.set $key (i32.add (local.get $p) (i32.const 2)))
      (local.set $p (call $value (local.get $key) (i32.const 3)))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (if (local.get $isText) (then (call $textAt (local.get $key) (local.get $p))))
      (br_if $next (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2c))))
    (global.set $calls (i32.add (global.get $calls) (local.get $isCall)))
    (select (i32.add (local.get $p) (i32.const 1)) (i32.const 0) (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x7d))))

  (func $noContent
    (global.set $calls (i32.const 0))
    (global.set $blocks (i32.const 0))
    (global.set $text (i32.const 0)))

  ;; Behind the content of a message that stands at $p; or 0 if it was not settled.
  (func $piContent (param $p i32) (result i32) (local $end i32)
    (call $noContent)
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x5b))
      (then
        (local.set $end (call $value (local.get $p) (i32.const 2)))
        (call $textAt (local.get $p) (local.get $end))
        (global.set $blocks (i32.const 1))
        (return (local.get $end))))
    (if (i32.eq (i32.load8_u offset=1 (local.get $p)) (i32.const 0x5d)) (then (return (i32.add (local.get $p) (i32.const 2)))))
    (loop $next
      (local.set $p (call $piBlock (i32.add (local.get $p) (i32.const 1))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (br_if $next (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2c))))
    (select (i32.add (local.get $p) (i32.const 1)) (i32.const 0) (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x5d))))

  ;; Behind the message that stands at $p, if the model said it, a person in one text, or a tool that is not the list's; else 0.
  (func $piMessage (param $p i32) (result i32) (local $key i32) (local $n i32) (local $word i64) (local $hasRole i32) (local $isUser i32) (local $isResult i32)
    (call $noContent)
    (loop $next
      (local.set $key (i32.add (local.get $p) (i32.const 2)))
      (local.set $p (call $plainKeyEnd (i32.add (local.get $p) (i32.const 1))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (local.set $n (i32.sub (local.get $p) (local.get $key)))
      (local.set $word (i64.load (local.get $key)))
      (if (i32.and (i32.eq (local.get $n) (i32.const 4)) (i32.eq (i32.wrap_i64 (local.get $word)) (i32.const 0x656c6f72))) ;; role
        (then
          (local.set $isResult (i32.and (i64.eq (i64.load offset=2 (local.get $p)) (i64.const 0x7365526c6f6f7422)) ;; "toolRes
                                        (i32.eq (i32.load offset=10 (local.get $p)) (i32.const 0x22746c75)))) ;; ult"
          (local.set $isUser (i64.eq (i64.and (i64.load offset=2 (local.get $p)) (i64.const 0xffffffffffff)) (i64.const 0x227265737522))) ;; "user"
          (local.set $hasRole (i32.or (i32.or (local.get $isUser) (local.get $isResult))
            (i32.and (i64.eq (i64.load offset=2 (local.get $p)) (i64.const 0x6174736973736122)) ;; "assista
                     (i32.eq (i32.load offset=9 (local.get $p)) (i32.const 0x22746e61))))) ;; ant"
          (if (i32.eqz (local.get $hasRole)) (then (return (i32.const 0))))))
      (if (i32.and (i32.eq (local.get $n) (i32.const 8)) (i64.eq (local.get $word) (i64.const 0x656d614e6c6f6f74))) ;; toolName
        (then
          (if (i32.eqz (call $otherTool (i32.add (local.get $p) (i32.const 2)))) (then (return (i32.const 0))))))
      (if (i32.and (i32.eq (local.get $n) (i32.const 7))
                   (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffffffff)) (i64.const 0x746e65746e6f63))) ;; content
        (then (local.set $p (call $piContent (i32.add (local.get $p) (i32.const 2)))))
        (else (local.set $p (call $value (i32.add (local.get $p) (i32.const 2)) (i32.const 2)))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (br_if $next (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2c))))
    (if (local.get $isResult) (then (global.set $calls (i32.const 0))))
    (if (i32.and (local.get $isUser) (i32.or (i32.ne (global.get $blocks) (i32.const 1)) (i32.eqz (global.get $text))))
      (then (return (i32.const 0))))
    (if (i32.eqz (local.get $isUser)) (then (global.set $text (i32.const 0))))
    (select (i32.add (local.get $p) (i32.const 1)) (i32.const 0)
            (i32.and (local.get $hasRole) (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x7d)))))

  ;; Whether the key of an id is written to $out, whose value stands at $p: 0 if it is no text.
  (func $idAt (param $p i32) (param $out i32) (result i32) (local $end i32)
    (f64.store (local.get $out) (f64.const 0))
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x22)) (then (return (i32.const 1))))
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (local.set $end (call $asciiEnd (local.get $p)))
    (if (i32.eqz (local.get $end)) (then (return (i32.const 0))))
    (call $key (local.get $out) (local.get $p) (local.get $end)))

  ;; A line of pi's that begins at $p, told at $out. The answer is where it ends, or 0 if it was not settled. Of members of the same name the
  ;; last one counts.
  (func $piLine (param $p i32) (param $out i32) (result i32) (local $key i32) (local $n i32) (local $word i64) (local $seen i32)
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x7b)) (then (return (i32.const 0))))
    (f64.store (local.get $out) (f64.const 0))
    (f64.store offset=8 (local.get $out) (f64.const 0))
    (loop $next
      (local.set $key (i32.add (local.get $p) (i32.const 2)))
      (local.set $p (call $plainKeyEnd (i32.add (local.get $p) (i32.const 1))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (local.set $n (i32.sub (local.get $p) (local.get $key)))
      (local.set $word (i64.load (local.get $key)))
      (local.set $p (i32.add (local.get $p) (i32.const 2)))
      (if (i32.and (i32.eq (local.get $n) (i32.const 7))
                   (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffffffff)) (i64.const 0x6567617373656d))) ;; message
        (then
          (local.set $seen (i32.or (local.get $seen) (i32.const 1)))
          (local.set $p (call $piMessage (local.get $p))))
        (else
          (if (i32.and (i32.eq (local.get $n) (i32.const 4)) (i32.eq (i32.wrap_i64 (local.get $word)) (i32.const 0x65707974))) ;; type
            (then
              (if (i32.or (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x22))
                          (i64.ne (i64.load offset=1 (local.get $p)) (i64.const 0x226567617373656d))) ;; message"
                (then (return (i32.const 0))))
              (local.set $seen (i32.or (local.get $seen) (i32.const 2)))))
          (if (i32.and (i32.eq (local.get $n) (i32.const 9))
                       (i32.and (i64.eq (local.get $word) (i64.const 0x6d617473656d6974)) ;; timestam
                                (i32.eq (i32.load8_u offset=8 (local.get $key)) (i32.const 0x70)))) ;; p
            (then
              (if (i32.or (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x22)) (i32.eqz (call $isTime (i32.add (local.get $p) (i32.const 1)))))
                (then (return (i32.const 0))))
              (i32.store offset=16 (local.get $out) (i32.add (local.get $p) (i32.const 1)))
              (local.set $seen (i32.or (local.get $seen) (i32.const 4)))))
          (if (i32.and (i32.eq (local.get $n) (i32.const 2)) (i32.eq (i32.load16_u (local.get $key)) (i32.const 0x6469))) ;; id
            (then (if (i32.eqz (call $idAt (local.get $p) (local.get $out))) (then (return (i32.const 0))))))
          (if (i32.and (i32.eq (local.get $n) (i32.const 8)) (i64.eq (local.get $word) (i64.const 0x6449746e65726170))) ;; parentId
            (then (if (i32.eqz (call $idAt (local.get $p) (i32.add (local.get $out) (i32.const 8)))) (then (return (i32.const 0))))))
          (local.set $p (call $value (local.get $p) (i32.const 1)))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (br_if $next (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2c))))
    (if (i32.or (i32.ne (i32.load16_u (local.get $p)) (i32.const 0x0a7d)) (i32.ne (local.get $seen) (i32.const 7)))
      (then (return (i32.const 0))))
    (i32.store offset=20 (local.get $out) (global.get $text))
    (i32.store offset=28 (local.get $out) (select (global.get $textTo) (global.get $calls) (global.get $text)))
    (i32.add (local.get $p) (i32.const 1)))

  ;; Lines of pi's, as `claude` tells those of Claude Code.
  (func (export "pi") (param $p i32) (param $end i32) (result i32) (local $out i32) (local $at i32)
    (local.set $out (i32.const 0x151800))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
        (br_if $done (i32.ge_u (local.get $out) (i32.const 0x15ff00)))
        (local.set $at (call $piLine (local.get $p) (local.get $out)))
        (br_if $done (i32.or (i32.eqz (local.get $at)) (i32.ge_u (local.get $at) (local.get $end))))
        (i32.store offset=24 (local.get $out) (local.get $at))
        (local.set $p (i32.add (local.get $at) (i32.const 1)))
        (local.set $out (i32.add (local.get $out) (i32.const 32)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $out) (i32.const 0x151800)) (i32.const 5)))

  ;; Whether the $n bytes at $text stand from $p on, and end before $end. A byte stands at $rare in them that is rare in a file.
  (func (export "has") (param $p i32) (param $end i32) (param $text i32) (param $n i32) (param $rare i32) (result i32)
    (local $first v128) (local $other v128) (local $a v128) (local $b v128) (local $m i32) (local $at i32)
    (local.set $first (i8x16.splat (i32.load8_u (local.get $text))))
    (local.set $other (i8x16.splat (i32.load8_u (i32.add (local.get $text) (local.get $rare)))))
    (loop $next
      (if (i32.gt_u (i32.add (local.get $p) (local.get $n)) (local.get $end)) (then (return (i32.const 0))))
      (local.set $at (i32.add (local.get $p) (local.get $rare)))
      (local.set $a (v128.and (i8x16.eq (v128.load (local.get $p)) (local.get $first))
                              (i8x16.eq (v128.load (local.get $at)) (local.get $other))))
      (local.set $b (v128.and (i8x16.eq (v128.load offset=16 (local.get $p)) (local.get $first))
                              (i8x16.eq (v128.load offset=16 (local.get $at)) (local.get $other))))
      (if (v128.any_true (v128.or (local.get $a) (local.get $b)))
        (then
          (local.set $m (i32.or (i8x16.bitmask (local.get $a)) (i32.shl (i8x16.bitmask (local.get $b)) (i32.const 16))))
          (loop $nextBit
            (local.set $at (i32.add (local.get $p) (i32.ctz (local.get $m))))
            (if (i32.and (i32.le_u (i32.add (local.get $at) (local.get $n)) (local.get $end))
                         (call $equal (local.get $at) (local.get $text) (local.get $n)))
              (then (return (i32.const 1))))
            (local.set $m (i32.and (local.get $m) (i32.sub (local.get $m) (i32.const 1))))
            (br_if $nextBit (local.get $m)))))
      (local.set $p (i32.add (local.get $p) (i32.const 32)))
      (br $next))
    (unreachable))
)
