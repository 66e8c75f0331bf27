import DuetContext
import DuetHTTP
import DuetHTTPCaching
import Foundation
import HTTPTypes
import ServiceContextModule
import Testing

/// Caches of different kinds with one store.
@Suite(.timeLimit(.minutes(5)))
struct OneStoreTests {
    enum Kind: CaseIterable {
        case `private`, shared, privateNamed, sharedNamed, privateTargeted, sharedUntargeted, privateWithSecrets
        case privateInNamespace, sharedInNamespace

        var policy: HTTPCachePolicy {
            switch self {
            case .private, .privateNamed, .privateWithSecrets, .privateInNamespace: .private
            case .shared, .sharedNamed, .sharedInNamespace: .shared
            case .privateTargeted: HTTPCachePolicy(.private, targetedFields: HTTPCachePolicy.shared.targetedFields)
            case .sharedUntargeted: HTTPCachePolicy(.shared)
            }
        }

        var configuration: CachingHTTPClient.Configuration {
            switch self {
            case .privateNamed, .sharedNamed: CachingHTTPClient.Configuration(partition: { _ in "" })
            case .privateWithSecrets: CachingHTTPClient.Configuration(secrets: [OneStoreTests.team])
            case .privateInNamespace, .sharedInNamespace: CachingHTTPClient.Configuration(namespace: "b.example")
            default: CachingHTTPClient.Configuration()
            }
        }

        func scene(in store: any HTTPCacheStore) -> Scene {
            Scene(in: store, policy: policy, configuration: configuration) { sent in
                .init(200, sent.request.path == "/own" ? OneStoreTests.own : OneStoreTests.common, "\(self)")
            }
        }
    }

    static let team = HTTPField.Name.known("X-Team-Token")
    static let own = ["Cache-Control: private, max-age=60", "Set-Cookie: a=b"]
    static let common = ["Cache-Control: max-age=60"]

    @Test(arguments: Kind.allCases, Kind.allCases)
    func `caches of different kinds never serve each other's responses`(
        first: Kind,
        second: Kind
    ) async throws {
        guard first != second else { return }
        let store = InMemoryHTTPCacheStore()
        let (before, after) = (first.scene(in: store), second.scene(in: store))
        for path in ["/own", "/common"] {
            for lines in [[], ["Authorization: ada"]] {
                _ = try await before.send(ask(path, lines))
                #expect(try await after.send(ask(path, lines)).body == "\(second)")
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `caches of one kind share stored responses`(kind: Kind) async throws {
        let store = InMemoryHTTPCacheStore()
        let (first, second) = (kind.scene(in: store), kind.scene(in: store))
        _ = try await first.send(ask("/common"))
        #expect(try await second.send(ask("/common")).isHit)
    }

    @Test(arguments: [(HTTPCachePolicy.private, HTTPCachePolicy.shared), (.shared, .private)])
    func `a change through one cache invalidates in all`(first: HTTPCachePolicy, second: HTTPCachePolicy) async throws {
        let store = InMemoryHTTPCacheStore()
        let one = Scene(in: store, policy: first) { .init(200, Self.common, "\($0.number)") }
        let other = Scene(in: store, policy: second) { .init(200, Self.common, "\($0.number)") }
        _ = try await one.send()
        _ = try await other.send(ask("/a", [], .put))
        #expect(try await one.send().body == "2")
    }
}
