import Foundation
package import NIOCore

/// The addresses of the public Internet: neither of this machine nor of a private network, nor reserved.
package enum PublicAddress {
    /// Whether a connection's other end is public; an IPv4 address within an IPv6 address decides for it.
    package static func contains(_ address: SocketAddress) -> Bool {
        guard let text = address.ipAddress else { return false }
        var bytes = [UInt8](repeating: 0, count: 16)
        switch address.protocol {
        case .inet: return unsafe inet_pton(AF_INET, text, &bytes) == 1 && contains(v4: Array(bytes.prefix(4)))
        case .inet6: return unsafe inet_pton(AF_INET6, text, &bytes) == 1 && contains(v6: bytes)
        default: return false
        }
    }

    private static func contains(v4 bytes: [UInt8]) -> Bool {
        !reserved4.contains { $0.contains(bytes) }
    }

    private static func contains(v6 bytes: [UInt8]) -> Bool {
        if embedding.contains(where: { $0.contains(bytes) }) { return contains(v4: Array(bytes.suffix(4))) }
        return global.contains(bytes) && !reserved6.contains { $0.contains(bytes) }
    }

    /// The special addresses of IPv4 (RFC 6890, and the registry that it began).
    private static let reserved4 = [
        Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16),
        Block([172, 16], 12), Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 88, 99], 24),
        Block([192, 168], 16), Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24),
        // Multicast, and what is reserved for the future.
        Block([224], 3),
    ]

    /// IPv4 addresses in IPv6 (RFC 4291, section 2.5.5.2; RFC 6052, section 2.1).
    private static let embedding = [
        Block(Array(repeating: 0, count: 10) + [0xFF, 0xFF], 96), Block([0, 0x64, 0xFF, 0x9B], 96),
    ]

    /// Global unicast (RFC 4291, section 2.4); loopback, link-local, unique local and multicast are outside of it.
    private static let global = Block([0x20], 3)

    /// Within global unicast: protocol assignments such as Teredo, documentation, and 6to4.
    private static let reserved6 = [
        Block([0x20, 0x01, 0], 23), Block([0x20, 0x01, 0x0D, 0xB8], 32), Block([0x20, 0x02], 16),
        Block([0x3F, 0xFF], 20),
    ]

    /// The addresses that begin with the same bits; the bytes after the prefix are 0.
    private struct Block {
        let prefix: [UInt8]
        let length: Int

        init(_ prefix: [UInt8], _ length: Int) {
            self.prefix = prefix
            self.length = length
        }

        func contains(_ bytes: [UInt8]) -> Bool {
            (0..<length).allSatisfy { bit in
                let mask = UInt8(0x80) >> UInt8(bit % 8)
                let own = bit / 8 < prefix.count ? prefix[bit / 8] : 0
                return own & mask == bytes[bit / 8] & mask
            }
        }
    }
}

/// The error of a connection to an address that is not public, before the request was sent.
struct PrivateAddress: Error, CustomStringConvertible {
    let address: String

    var description: String { "its address \(address) is not public" }

    /// Closes a connection whose other end is not public, and fails.
    static func refuse(_ channel: any Channel) -> EventLoopFuture<Void> {
        if let address = channel.remoteAddress, PublicAddress.contains(address) {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        // After the pool has heard of the failure.
        channel.eventLoop.execute { channel.close(promise: nil) }
        let address = channel.remoteAddress?.ipAddress ?? "of an unknown kind"
        return channel.eventLoop.makeFailedFuture(PrivateAddress(address: address))
    }
}
