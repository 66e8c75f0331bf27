import Duet
import DuetContext
import DuetHTTP
import DuetHTTPCaching
import DuetTesting
import Foundation
import HTTPTypes
import ServiceContextModule
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PartitionTests {
    private let scene = Scene(configuration: .withTeamKey) { .init(200, ["Cache-Control: max-age=60"], "\($0.number)") }

    private func send(_ request: HTTPRequest = ask(), as id: String?, _ scene: Scene? = nil) async throws -> String {
        try await withPrincipal(id.map { Principal(id: $0) }) { try await (scene ?? self.scene).send(request).body }
    }

    @Test func `responses of one principal are not served to others`() async throws {
        for _ in 1...2 {
            #expect(try await send(as: "ada") == "1")
            #expect(try await send(as: "bob") == "2")
            #expect(try await send(as: nil) == "3")
            #expect(try await send(as: "") == "4")
        }
    }

    @Test(arguments: ["Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Auth-Token", "X-Access-Token", "Team-Key"])
    func `responses to one credential are not served to another`(name: String) async throws {
        for _ in 1...2 {
            #expect(try await send(ask("/a", ["\(name): a"]), as: "ada") == "1")
            #expect(try await send(ask("/a", ["\(name): b"]), as: "ada") == "2")
            #expect(try await send(ask("/a", ["\(name): a"]), as: nil) == "3")
            #expect(try await send(ask("/a", ["\(name): a", "\(name): b"]), as: nil) == "4")
            #expect(try await send(ask("/a", ["\(name): ab"]), as: nil) == "5")
            #expect(try await send(as: "ada") == "6")
        }
    }

    @Test func `the same text in another field is another credential`() async throws {
        var bodies: Set<String> = []
        bodies.insert(try await send(ask("/a", ["Authorization: x"]), as: nil))
        bodies.insert(try await send(ask("/a", ["Cookie: x"]), as: nil))
        bodies.insert(try await send(ask("/a", ["X-Api-Key: x"]), as: nil))
        bodies.insert(try await send(as: "x"))
        #expect(bodies.count == 4)
    }

    @Test func `principals do not share a response while it arrives`() async throws {
        let held = HeldBody()
        let scene = Scene { sent in
            sent.number == 1
                ? .init(200, ["Cache-Control: max-age=60"], held.body)
                : .init(200, ["Cache-Control: max-age=60"], "bob")
        }
        let first = Task.startingHere { try await scene.send(ask("/a", ["Authorization: ada"])) }
        try await held.begun.pass()
        #expect(try await scene.send(ask("/a", ["Authorization: bob"])).body == "bob")
        held.send("ada")
        held.end()
        #expect(try await first.value.body == "ada")
    }

    @Test func `a change by one user invalidates for all`() async throws {
        #expect(try await send(as: "ada") == "1")
        #expect(try await send(as: "bob") == "2")
        #expect(try await send(ask("/a", [], .put), as: "ada") == "3")
        #expect(try await send(as: "bob") == "4")
    }

    @Test func `a partition can be configured`() async throws {
        var configuration = CachingHTTPClient.Configuration()
        configuration.partition = { $0.headerFields[.from] ?? "" }
        let scene = Scene(configuration: configuration) { .init(200, ["Cache-Control: max-age=60"], "\($0.number)") }
        #expect(try await scene.send(ask("/a", ["From: a"])).body == "1")
        #expect(try await scene.send(ask("/a", ["From: b"])).body == "2")
        #expect(try await scene.send(ask("/a", ["From: a", "Cookie: x"])).body == "1")
    }

    @Test func `partitions and principals are compared as bytes, and do not appear in keys`() async throws {
        let store = FaultyStore()
        var configuration = CachingHTTPClient.Configuration()
        configuration.partition = { $0.headerFields[.from] ?? "" }
        let scene = Scene(in: store, configuration: configuration) {
            .init(200, ["Cache-Control: max-age=60"], "\($0.number)")
        }
        for (number, name) in ["\u{e9}", "e\u{301}", ""].enumerated() {
            #expect(try await scene.send(ask("/a", ["From: \(name)"])).body == "\(number + 1)")
            #expect(try await send(as: name) == "\(number + 1)")
        }
        #expect(store.partitions.count == 3)
        #expect(store.partitions.allSatisfy { $0.isEmpty || $0.count == 64 && $0.allSatisfy(\.isHexDigit) })
    }

    @Test func `credentials are compared as bytes`() async throws {
        for (number, byte) in ([0xE8, 0xE9] as [UInt8]).enumerated() {
            var request = ask()
            request.headerFields[fields: .cookie] = [HTTPField(name: .cookie, value: [byte])]
            #expect(try await send(request, as: nil) == "\(number + 1)")
        }
    }

    @Test func `no credential appears in a key`() async throws {
        let store = FaultyStore(isDurable: true)
        var configuration = CachingHTTPClient.Configuration()
        configuration.storesSecretsDurably = false
        let scene = Scene(in: store, configuration: configuration) { _ in .init(200, ["Cache-Control: max-age=60"]) }
        _ = try await send(ask("/a", ["Authorization: Bearer hush"]), as: "ada", scene)
        #expect(store.partitions.count == 1)
        #expect(store.partitions.allSatisfy { $0.count == 64 && $0.allSatisfy(\.isHexDigit) })
    }
}

extension CachingHTTPClient.Configuration {
    /// A configuration with a custom credentials field.
    fileprivate static var withTeamKey: Self {
        var configuration = Self()
        configuration.secrets = Set(["Team-Key"].compactMap { HTTPField.Name($0) })
        return configuration
    }
}
