import Crypto
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import ServiceContextModule

/// Tells apart whose responses are whose, by digests: the partition is written into stores, and credentials must not be.
///
/// Caches that store by other rules never meet, also in one store: what a private one keeps, a shared one must not find.
struct CachePartitions: Sendable {
    /// Of requests that nothing tells apart; empty in a private cache.
    let common: String

    /// Which rules let responses be stored, and which fields of its own tell apart who asks.
    private let kind: [[UInt8]]

    init(of policy: HTTPCachePolicy, secrets: Set<HTTPField.Name>, in namespace: String) {
        let targets = policy.targetedFields.map(\.canonicalName)
        // A shared cache tells nobody apart.
        let own = policy.isShared ? [] : secrets.subtracting(.secrets).map(\.canonicalName).sorted()
        let others = own.map { "by \($0)" } + (namespace.isEmpty ? [] : ["in \(namespace)"])
        kind = ([policy.isShared ? "shared" : "private"] + targets + others).map { Array($0.utf8) }
        common = policy.isShared || kind.count > 1 ? Self.digest([kind]) : ""
    }

    /// By principal and credentials; strangers without any share.
    func ofCredentials(in request: HTTPRequest, _ secrets: Set<HTTPField.Name>) -> String {
        let principal = ServiceContext.current?.principal?.id
        let credentials = request.headerFields.filter { secrets.contains($0.name) }
        guard principal != nil || !credentials.isEmpty else { return common }
        let names = Set(credentials.map(\.name)).sorted { $0.canonicalName < $1.canonicalName }
        return Self.digest(
            [kind, principal.map { [Array($0.utf8)] } ?? []]
                + names.map { name in
                    [Array(name.canonicalName.utf8)] + credentials.filter { $0.name == name }.map(\.bytes)
                }
        )
    }

    /// By what somebody calls them; also the one without a name is another one than ``common``.
    func named(_ name: String) -> String {
        Self.digest([kind, [Array("named".utf8), Array(name.utf8)]])
    }

    /// Each list and each part with its length before it, so that no two are written alike.
    private static func digest(_ lists: [[[UInt8]]]) -> String {
        var hash = SHA256()
        for list in lists {
            hash.update(data: Data("\(list.count);".utf8))
            for part in list {
                hash.update(data: Data("\(part.count):".utf8))
                hash.update(data: part)
            }
        }
        return hash.finalize().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        .joined()
    }
}
