//! PocketBase's REST API as typed messages. With an address, a user and a password it talks to that PocketBase; without, to a
//! server in this process that mounts the same messages.

import Duet
import DuetAsyncHTTPClient
import DuetContext
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird

// snippet.model
struct Speaker: Codable, Equatable, Sendable {
    let id: String
    let name: String
    let talks: Int
    let photo: String
}
// snippet.end

// snippet.query
/// GET api/collections/speakers/records/{id}
struct LoadSpeaker: IDQuery {
    typealias Value = Speaker
    static let path = "api/collections/speakers/records/{id}"
    let id: String
}
// snippet.end

// snippet.command
/// POST api/collections/speakers/records   {"id": …, "name": …, "talks": …}
struct AddSpeaker: HTTPCommand {
    static let path = "api/collections/speakers/records"
    static let method = CommandMethod.post
    let id: String
    let name: String
    let talks: Int
}

/// DELETE api/collections/speakers/records/{id}
struct RemoveSpeaker: IDCommand {
    static let path = "api/collections/speakers/records/{id}"
    static let method = CommandMethod.delete
    let id: String
}
// snippet.end

// snippet.list
/// GET api/collections/speakers/records?filter=…&sort=…&page=…&perPage=…
struct LoadSpeakers: Filterable, Orderable, Pageable {
    typealias Value = [Speaker]
    static let path = "api/collections/speakers/records"
    static let parameterNames = ["order": "sort"]
    static let parameterDefaults = ["sort": "", "perPage": "30"]

    var filter: SpeakerFilter?
    var order = SpeakerOrder.unsorted
    var page: Int?
    var perPage = 30

    struct Payload: Codable, Sendable {
        let items: [Speaker]
    }

    static func value(from payload: Payload, answering query: Self) -> [Speaker] { payload.items }
    static func payload(from value: [Speaker], answering query: Self) -> Payload { Payload(items: value) }
}

/// Each property is a parameter. PocketBase has only one, an expression in a language of its own.
struct SpeakerFilter: Codable, Sendable {
    let filter: String

    static func talks(atLeast minimum: Int) -> Self { Self(filter: "talks >= \(minimum)") }
}

enum SpeakerOrder: String, Codable, Sendable {
    case unsorted = ""
    case name
    case mostTalks = "-talks"
}
// snippet.end

// snippet.bytes
/// PATCH api/collections/speakers/records/{id}, with a photo as a form, which is how PocketBase takes files.
struct SetPhoto: BodyCommand {
    static let path = "api/collections/speakers/records/{id}"
    static let method = CommandMethod.patch
    let id: String
    let body: HTTPBytes

    init(id: String, png: Data) {
        let head = "--photo\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"photo.png\"\r\n\r\n"
        body = HTTPBytes(Data(head.utf8) + png + Data("\r\n--photo--\r\n".utf8), mediaType: "multipart/form-data; boundary=photo")
        self.id = id
    }
}

/// GET api/files/speakers/{id}/{photo}: bytes, with the media type that the server says.
struct LoadPhoto: IDQuery {
    typealias Value = HTTPBytes
    static let path = "api/files/speakers/{id}/{photo}"
    let id: String
    let photo: String
}
// snippet.end

// snippet.error
/// What PocketBase answers when it refuses something.
struct PocketBaseError: Error, Codable, Equatable {
    struct Fault: Codable, Equatable {
        let code: String
        let message: String
    }

    let status: Int
    let message: String
    let data: [String: Fault]
}

/// Makes an error of PocketBase's own of every failure that carries one.
struct PocketBaseErrors: Middleware {
    nonisolated(nonsending) func dispatch<C: Command>(_ command: C, next: some CommandDispatcher) async throws {
        do { try await next.dispatch(command) } catch let failure as HTTPFailure { throw translate(failure) }
    }

    nonisolated(nonsending) func dispatch<Q: Query>(_ query: Q, next: some QueryDispatcher) async throws -> Q.Value {
        do { return try await next.dispatch(query) } catch let failure as HTTPFailure { throw translate(failure) }
    }

    private func translate(_ failure: HTTPFailure) -> any Error {
        (try? JSONDecoder().decode(PocketBaseError.self, from: failure.body)) ?? failure
    }
}
// snippet.end
