package import Foundation

/// The hash function XXH64, which reads several gigabytes a second.
///
/// It finds damage and spreads keys. It does not protect against forgery.
///
/// Source: "XXH64 algorithm description" in doc/xxhash_spec.md of github.com/Cyan4973/xxHash.
package enum XXHash64 {
    private static let primes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (
        0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
        0x27D4_EB2F_1656_67C5
    )

    package static func hash(_ bytes: some ContiguousBytes, seed: UInt64 = 0) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe hash($0, seed: seed) }
    }

    /// Returns the hash of a number, as the algorithm adds 8 bytes to a hash.
    static func hash(_ number: Int64, seed: UInt64) -> UInt64 {
        (seed ^ round(0, UInt64(bitPattern: number))).rotated(27) &* primes.0 &+ primes.3
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        var offset = 0
        var hash = seed &+ primes.4
        if bytes.count >= 32 {
            var lanes = (seed &+ primes.0 &+ primes.1, seed &+ primes.1, seed, seed &- primes.0)
            while offset &+ 32 <= bytes.count {
                lanes.0 = unsafe round(lanes.0, word(bytes, offset))
                lanes.1 = unsafe round(lanes.1, word(bytes, offset &+ 8))
                lanes.2 = unsafe round(lanes.2, word(bytes, offset &+ 16))
                lanes.3 = unsafe round(lanes.3, word(bytes, offset &+ 24))
                offset &+= 32
            }
            hash = lanes.0.rotated(1) &+ lanes.1.rotated(7) &+ lanes.2.rotated(12) &+ lanes.3.rotated(18)
            for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
                hash = (hash ^ round(0, lane)) &* primes.0 &+ primes.3
            }
        }
        hash = hash &+ UInt64(bytes.count)
        while offset + 8 <= bytes.count {
            hash = unsafe (hash ^ round(0, word(bytes, offset))).rotated(27) &* primes.0 &+ primes.3
            offset += 8
        }
        if offset + 4 <= bytes.count {
            let half = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            hash = (hash ^ UInt64(half) &* primes.0).rotated(23) &* primes.1 &+ primes.2
            offset += 4
        }
        while offset < bytes.count {
            hash = unsafe (hash ^ UInt64(bytes[offset]) &* primes.4).rotated(11) &* primes.0
            offset += 1
        }
        hash = (hash ^ hash >> 33) &* primes.1
        hash = (hash ^ hash >> 29) &* primes.2
        return hash ^ hash >> 32
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        (lane &+ word &* primes.1).rotated(31) &* primes.0
    }
}

extension UInt64 {
    fileprivate func rotated(_ count: UInt64) -> UInt64 { self &<< count | self &>> (64 &- count) }
}
