import DuetAsyncHTTPClient
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import Hummingbird
import NotesService
import TestSupport
import Testing

@Suite struct ServiceContractTests {
    @Test(arguments: ServiceContract.allCases)
    func `a Hummingbird server meets the contract of a service`(_ requirement: ServiceContract) async throws {
        let (dispatcher, tokens) = (try Shelves().dispatcher(), Shelves.tokens)
        let router = Router()
        try router.mount(.shelves, dispatcher, at: "/api", authenticator: tokens, options: Shelves.options)
        try router.mount(.shelves, dispatcher, at: "/brief", authenticator: tokens, options: Shelves.briefOptions)
        try await withServer(router.buildResponder()) { port in
            try await verify(requirement, "http://127.0.0.1:\(port)")
        }
    }

    /// `make service` starts another server, and sets its address.
    private static let otherServer = ProcessInfo.processInfo.environment["DUET_SERVICE_URL"]

    @Test(.enabled(if: otherServer != nil), arguments: ServiceContract.allCases)
    func `another server meets the contract of a service`(_ requirement: ServiceContract) async throws {
        try await verify(requirement, #require(Self.otherServer))
    }

    private func verify(_ requirement: ServiceContract, _ server: String) async throws {
        let client = NIOHTTPClient(clock: ManualClock())
        let result: Result<Void, any Error>
        do { result = .success(try await requirement.verify(server, client)) } catch { result = .failure(error) }
        try await client.shutdown()
        try result.get()
    }
}
