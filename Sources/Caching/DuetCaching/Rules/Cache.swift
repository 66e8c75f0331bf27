public import Duet
import Foundation

/// The rule that values of a query are cached.
///
/// ```swift
/// Cache(LoadFeed.self, .maxAge(.days(7)).staleWhileRevalidate(.minutes(5)))
/// Cache(LoadComments.self, .maxAge(.seconds(10)))
/// ```
public struct Cache<Q: Query & Hashable>: Sendable where Q.Value: Sendable {
    /// Encodes keys and values for the store behind the memory.
    struct Coding {
        let version: Int
        let encodeQuery: @Sendable (Q) throws -> Data
        let decodeQuery: @Sendable (Data) throws -> Q
        let value: ValueCoding<Q.Value>
    }

    let policy: CachePolicy<Q.Value>
    let scope: CacheScope
    let tags: @Sendable (Q) -> [String]
    let hasTags: Bool
    let weight: (@Sendable (Q.Value) -> Int)?
    let refresh: (@Sendable (Q, _ stored: Q.Value, _ next: any Dispatcher) async throws -> Q.Value?)?
    private(set) var coding: Coding?

    /// Caches the values of a query.
    ///
    /// - Parameters:
    ///   - query: The type of the query. Equal queries have the same value.
    ///   - policy: Decides how long a value is used. By default, and if the cache tracks all that the handler reads, it
    ///     is used until something of that is written, or for an hour, or from a server for a minute.
    ///   - scope: The callers that share a value; by default, each principal has its own.
    ///   - tags: Returns the tags by which ``Invalidate`` finds a value.
    ///   - weight: Returns the weight of a value, usually its size in bytes, for ``MemoryLimit/weight(_:)``.
    ///   - refresh: Loads a value again, given the stored one. It returns nil if the stored one is still right. It is
    ///     called in place of the handler, and can dispatch messages with `next`.
    public init(
        _ query: Q.Type,
        _ policy: CachePolicy<Q.Value>? = nil,
        scope: CacheScope = .principal,
        tags: (@Sendable (Q) -> [String])? = nil,
        weight: (@Sendable (Q.Value) -> Int)? = nil,
        refresh: (@Sendable (Q, _ stored: Q.Value, _ next: any Dispatcher) async throws -> Q.Value?)? = nil
    ) {
        self.policy = policy ?? .tracked
        self.scope = scope
        self.tags = { query in tags?(query).map(\.normalized) ?? [] }
        hasTags = tags != nil
        self.weight = weight
        self.refresh = refresh
    }
}

extension Cache where Q: Codable {
    /// Also keeps values in the store behind the memory: ``CacheMemory/backed(by:timeout:onError:)``.
    ///
    /// A query that is not equal to itself after it was encoded and decoded is kept in memory only. Equal queries are
    /// found again if they have the same encoding, so a type with its own `==` must encode equal values equally. The
    /// forms of a string in Unicode, and of zero, make no difference. The order of a `Set` or a `Dictionary` differs
    /// from launch to launch.
    ///
    /// - Parameters:
    ///   - coding: Converts values to bytes and back.
    ///   - version: The version of the encoding. Increase it when the query or its value changes its meaning: a value
    ///     of another version is not found.
    public func stored(as coding: ValueCoding<Q.Value>, version: Int) -> Cache {
        var rule = self
        rule.coding = Coding(
            version: version,
            encodeQuery: { try QueryCoding.encode($0) },
            decodeQuery: { try QueryCoding.decode(Q.self, from: $0) },
            value: coding
        )
        return rule
    }

    /// Also keeps values in the store behind the memory, as JSON.
    ///
    /// - Parameter version: As of ``Cache/stored(as:version:)``.
    public func stored(version: Int) -> Cache where Q.Value: Codable { stored(as: .json, version: version) }
}

extension Cache: CustomStringConvertible {
    /// The rule in words.
    public var description: String {
        "\(Q.messageName) is cached: \(policy)" + (coding.map { ", stored with version \($0.version)" } ?? "")
    }
}
