import FeedServing
import Foundation
import HTTPTypes
import Hummingbird

/// Refuses requests without a host, and on a loopback address those for a host that is not this machine.
struct HostMiddleware: RouterMiddleware {
    /// The host names to answer to; nil for any.
    private let names: Set<String>?

    init(listeningOn address: String, publicURL: URL?) {
        let loopback: Set = ["127.0.0.1", "localhost", "[::1]"]
        let isLoopback = loopback.contains(address.lowercased()) || address == "::1" || address.hasPrefix("127.")
        // A proxy on this machine may pass on the name under which the world knows it.
        let publicName = publicURL?.host(percentEncoded: true)?.lowercased()
        names = isLoopback ? loopback.union([address, publicName].compactMap(\.self)) : nil
    }

    func handle(
        _ request: Request,
        context: ScopedRequestContext,
        next: @concurrent (Request, ScopedRequestContext) async throws -> Response
    ) async throws -> Response {
        guard let authority = request.head.authority, let name = Self.name(in: authority) else {
            throw Problem(.badRequest, "The Host field must be there and hold a host name, with or without a port.")
        }
        if let names, !names.contains(name.lowercased()) {
            throw Problem(.misdirectedRequest, "This server answers on this machine only, not for \(name.prefix(256)).")
        }
        return try await next(request, context)
    }

    /// The name in `name`, `name:port`, `[address]` or `[address]:port`; nil when it is none of them (RFC 9110, 7.2).
    private static func name(in authority: String) -> Substring? {
        let end =
            if authority.utf8.first == UInt8(ascii: "[") {
                authority.firstIndex(of: "]").map { authority.index(after: $0) }
            } else {
                authority.firstIndex(of: ":") ?? authority.endIndex
            }
        guard let end else { return nil }
        let (name, port) = (authority[..<end], authority[end...])
        guard !name.isEmpty, name.utf8.allSatisfy(isNameByte) else { return nil }
        guard port.isEmpty || (port.first == ":" && port.dropFirst().allSatisfy { ("0"..."9").contains($0) }) else {
            return nil
        }
        return name
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }
}
