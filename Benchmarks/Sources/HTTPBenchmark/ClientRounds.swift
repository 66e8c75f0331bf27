import AsyncHTTPClient
import Duet
import DuetAsyncHTTPClient
import DuetHTTP
import Foundation
import HTTPTypes
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Rounds

/// What a message costs its sender: beside the same request on bare AsyncHTTPClient, and without a network.
enum ClientRounds {
    static let rounds = 15
    static let requests = 400
    static let encodings = 20_000

    static func call(port: Int) async throws {
        let query = LoadSpeakers(
            event: "let-swift-13",
            filter: SpeakerFilter(name: "Ada", minimumTalks: 2),
            order: .name,
            page: "start"
        )
        let url = "http://127.0.0.1:\(port)"
        let client = NIOHTTPClient()
        let dispatcher = HTTPDispatcher(baseURL: URL(string: url)!, client: client)
        let bare = AsyncHTTPClient.HTTPClient(eventLoopGroupProvider: .singleton)
        let subjects = [
            Measured("AsyncHTTPClient and JSONDecoder by hand") {
                for _ in 0..<requests {
                    var request = HTTPClientRequest(
                        url: "\(url)/v1/events/let-swift-13/speakers?name=Ada&minimumTalks=2&order=name&page=start"
                    )
                    request.headers.add(name: "Accept", value: "application/json")
                    let response = try await bare.execute(request, timeout: .seconds(30))
                    guard response.status == .ok else { throw WrongAnswer() }
                    let body = try await response.body.collect(upTo: 16 * 1_024 * 1_024)
                    guard try JSONDecoder().decode(Speakers.self, from: Data(buffer: body)) == .sample else {
                        throw WrongAnswer()
                    }
                }
            },
            Measured("HTTPDispatcher on NIOHTTPClient") {
                for _ in 0..<requests {
                    guard try await dispatcher.dispatch(query) == .sample else { throw WrongAnswer() }
                }
            },
        ]
        let results = try await Rounds(rounds, subjects)
        try await client.shutdown()
        try await bare.shutdown()

        print("A query over one connection, \(requests) times a round; medians of \(rounds) rounds.")
        print("".padded(to: 42) + "us      ratio")
        let base = results[subjects[0].name]
        for subject in subjects {
            let time = results[subject.name]
            print(subject.name.padded(to: 42) + (time * 1_000 / Double(requests)).text(1).padded(to: 8) + (time / base).text())
        }
        printFigure("query through HTTPDispatcher / AsyncHTTPClient by hand", results[subjects[1].name] / base, atMost: 1.15)
    }

    /// The whole way from a message to an answered request, to a client that answers at once: more than the encoding alone.
    static func encode() async throws {
        let dispatcher = HTTPDispatcher(baseURL: URL(string: "https://api.example.com/")!, client: NothingToDo())
        let command = AddSpeaker.sample
        let removal = RemoveSpeakers(command)
        let subjects = [
            Measured("a command as a JSON body") {
                for _ in 0..<encodings { try await dispatcher.dispatch(command) }
            },
            Measured("a command as parameters of the query") {
                for _ in 0..<encodings { try await dispatcher.dispatch(removal) }
            },
        ]
        let results = try await Rounds(rounds, subjects)
        print("Ten properties as a request, sent to a client that does nothing; medians of \(rounds) rounds.")
        for subject in subjects {
            let time = results[subject.name] * 1_000 / Double(encodings)
            print(subject.name.padded(to: 42) + "\(time.text()) us")
            printFigure("\(subject.name), in us", time, atMost: 5)
        }
    }
}

struct WrongAnswer: Error {}

/// Answers everything with 204.
private struct NothingToDo: DuetHTTP.HTTPClient {
    func send(_ request: HTTPRequest, body: Data?) async throws -> (HTTPResponse, Data) {
        (HTTPResponse(status: .noContent), Data())
    }
}
