import DuetHTTP
import DuetHTTPCaching
import HTTPTypes
import Testing

/// Caches with one store.
@Suite(.timeLimit(.minutes(5)))
struct OneStoreTests {
    enum Kind: CaseIterable {
        case plain, named, withSecrets

        var configuration: CachingHTTPClient.Configuration {
            switch self {
            case .plain: CachingHTTPClient.Configuration()
            case .named: CachingHTTPClient.Configuration(partition: { _ in "" })
            case .withSecrets: CachingHTTPClient.Configuration(secrets: [.known("X-Team-Token")])
            }
        }

        func scene(in store: any HTTPCacheStore) -> Scene {
            Scene(in: store, configuration: configuration) { _ in .init(200, OneStoreTests.common, "\(self)") }
        }
    }

    static let common = ["Cache-Control: max-age=60"]

    @Test(arguments: Kind.allCases, Kind.allCases)
    func `caches that tell users apart by other rules never serve each other's responses`(
        first: Kind,
        second: Kind
    ) async throws {
        guard first != second else { return }
        let store = InMemoryHTTPCacheStore()
        let (before, after) = (first.scene(in: store), second.scene(in: store))
        for lines in [[], ["Authorization: ada"]] {
            _ = try await before.send(ask("/a", lines))
            #expect(try await after.send(ask("/a", lines)).body == "\(second)")
        }
    }

    @Test(arguments: Kind.allCases)
    func `caches of one kind share stored responses`(kind: Kind) async throws {
        let store = InMemoryHTTPCacheStore()
        let (first, second) = (kind.scene(in: store), kind.scene(in: store))
        _ = try await first.send()
        #expect(try await second.send().isHit)
    }

    @Test(arguments: Kind.allCases)
    func `a change through one cache invalidates in all`(other: Kind) async throws {
        let store = InMemoryHTTPCacheStore()
        let one = Scene(in: store) { .init(200, Self.common, "\($0.number)") }
        _ = try await one.send()
        _ = try await other.scene(in: store).send(ask("/a", [], .put))
        #expect(try await one.send().body == "2")
    }
}
