import Duet
import DuetHTTP
import DuetURLSession
import Foundation
import HTTPTypes
import TestSupport
import Testing

extension PocketBaseTests {
    struct LoginTests {
        private let login: Login

        init() throws {
            login = try #require(PocketBaseTrait.login)
        }

        @Test func `an unauthenticated sender catches PocketBase's own error`() async throws {
            try await withClient { client in
                let stranger = HTTPDispatcher(baseURL: login.url, client: client)
                    .decodingErrors(as: PocketBaseError.self)
                await #expect(
                    throws: PocketBaseError(status: 403, message: "Only superusers can perform this action.", data: [:])
                ) {
                    try await stranger.dispatch(AddSpeaker(id: "stranger1234567", name: "Eve", talks: 1))
                }
                let error = await #expect(throws: PocketBaseError.self) {
                    _ = try await stranger.dispatch(LoadCollectionNames())
                }
                #expect(error?.status == 401)
            }
        }

        @Test func `the guide lists the layers of its client`() throws {
            let decorated = decorate(URLSessionHTTPClient(), LoginTokenSource { "" })
            let sample = "```text\n\(decorated.layers.joined(separator: "\n"))\n```"
            let isInGuide = try String(
                contentsOf: projectFile("Documentation/Guides.docc/CallAnAPI.md"),
                encoding: .utf8
            ).contains(sample)
            #expect(isInGuide, "\(sample)")
        }

        @Test func `without the operator a refusal keeps status, fields and body`() async throws {
            try await withClient { client in
                let failure = await #expect(throws: HTTPFailure.self) {
                    try await HTTPDispatcher(baseURL: login.url, client: client)
                        .dispatch(AddSpeaker(id: "stranger1234567", name: "Eve", talks: 1))
                }
                #expect(failure?.response.status == .forbidden)
                #expect(failure?.response.headerFields[.contentType] == "application/json")
                #expect(failure.map { String(decoding: $0.body, as: UTF8.self) }?.contains("superusers") == true)
                #expect(failure?.problem == nil)
                #expect(failure.map { "\($0)" }?.contains("AddSpeaker: the server responded with 403") == true)
            }
        }

        @Test func `a rejected token is replaced once for all waiting requests`() async throws {
            try await withClient { client in
                let tokens = StaleTokens(login: login, client: client)
                let authenticated = client.authenticated(by: tokens, at: try BaseURL(login.url))
                let api = HTTPDispatcher(baseURL: login.url, client: authenticated)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<50 {
                        group.addTask { try await api.dispatch(LoadCollectionNames()).contains("speakers") }
                    }
                    for try await found in group { #expect(found) }
                }
                // Requests after the first refresh already have the new token.
                #expect(await tokens.refreshes == 1)
            }
        }
    }
}

/// Begins with a token that PocketBase rejects.
private actor StaleTokens: TokenSource {
    private let login: Login
    private let client: any HTTPClient
    private var token = "stale"
    private(set) var refreshes = 0

    init(login: Login, client: any HTTPClient) {
        self.login = login
        self.client = client
    }

    func current() async throws -> String? { token }

    func refresh(replacing rejected: String?) async throws -> String? {
        refreshes += 1
        token = try await login.token(with: client)
        return token
    }
}
