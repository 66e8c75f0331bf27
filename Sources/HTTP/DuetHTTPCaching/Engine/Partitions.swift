import Crypto
import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import ServiceContextModule
import Synchronization

/// Separates the responses of different users, by digests: partitions are written into stores, and credentials must not
/// be.
final class Partitions: Sendable {
    /// The application's own partition of a request.
    private let name: (@Sendable (HTTPRequest) -> String)?
    /// The fields whose values distinguish users.
    private let secrets: Set<HTTPField.Name>
    /// The application's own fields that distinguish users.
    private let kind: [[UInt8]]
    /// The partition of requests that nothing distinguishes.
    private let common: String
    /// The layer nearer to the network that adds credentials, which the cache does not see.
    private let credentialsLayer: String?
    private let report: @Sendable (HTTPCacheReport) -> Void
    private let hasReported = Mutex(false)

    init(
        _ configuration: CachingHTTPClient.Configuration,
        credentialsLayer: String?,
        report: @escaping @Sendable (HTTPCacheReport) -> Void
    ) {
        name = configuration.partition
        secrets = configuration.allSecrets
        kind = secrets.subtracting(.sensitiveHeaderFields).map(\.canonicalName).sorted().map { Array($0.utf8) }
        common = kind.isEmpty ? "" : Self.digest([kind])
        self.credentialsLayer = credentialsLayer
        self.report = report
    }

    /// The partition whose responses may answer a request; nil if that is unknown.
    func partition(of request: HTTPRequest) -> String? {
        if let name { return Self.digest([kind, [Array("named".utf8), Array(name(request).utf8)]]) }
        if let credentialsLayer, Principal.current == nil {
            reportHiddenCredentials(of: credentialsLayer)
            return nil
        }
        let credentials = request.headerFields.filter { secrets.contains($0.name) }
        // Credentials whose bytes were lost look like those of others.
        guard !credentials.contains(where: { FieldSyntax.isLossy($0.bytes) }) else { return nil }
        let principal = Principal.current?.id
        guard principal != nil || !credentials.isEmpty else { return common }
        let names = Set(credentials.map(\.name)).sorted { $0.canonicalName < $1.canonicalName }
        return Self.digest(
            [kind, principal.map { [Array($0.utf8)] } ?? []]
                + names.map { name in
                    [Array(name.canonicalName.utf8)] + credentials.filter { $0.name == name }.map(\.bytes)
                }
        )
    }

    private func reportHiddenCredentials(of layer: String) {
        let isFirst = hasReported.withLock { hasReported in
            defer { hasReported = true }
            return !hasReported
        }
        if isFirst { report(.credentialsHidden(by: layer)) }
    }

    /// A digest of lists, each preceded by its length, as each of its parts is, so that no two inputs look alike.
    private static func digest(_ lists: [[[UInt8]]]) -> String {
        var hash = SHA256()
        for list in lists {
            hash.update(data: Data("\(list.count);".utf8))
            for part in list {
                hash.update(data: Data("\(part.count):".utf8))
                hash.update(data: part)
            }
        }
        return FieldSyntax.hexadecimal(Array(hash.finalize()))
    }
}
