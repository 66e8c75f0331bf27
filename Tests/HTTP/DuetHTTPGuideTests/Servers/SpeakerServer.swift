import Duet
import DuetContext
import DuetHTTP
import DuetHummingbird
import Foundation
import HTTPTypes
import Hummingbird

/// A server of this package for the messages that the guide sends to PocketBase.
struct SpeakerServer {
    static let messages = MessageAPI("speakers", throwing: SpeakerExists.self, NoSuchSpeaker.self) {
        AddSpeaker.authorized(.scope("speakers"))
        RemoveSpeaker.authorized(.scope("speakers"))
        SetPhoto.authorized(.principal)
        LoadSpeaker.authorized(.open)
        LoadPhoto.authorized(.open)
    }

    let router = Router()

    init() throws {
        let store = SpeakerStore()
        let dispatcher = try StandardDispatcher {
            AddSpeakerHandler(store: store)
            RemoveSpeakerHandler(store: store)
            SetPhotoHandler(store: store)
            LoadSpeakerHandler(store: store)
            LoadPhotoHandler(store: store)
        }
        let tokens = StaticTokenAuthenticator([
            TokenHash(of: "a-long-secret"): Principal(id: "ada", scopes: ["speakers"])
        ])
        try router.mount(Self.messages, dispatcher, authenticator: tokens)
    }
}

struct SpeakerExists: HTTPProblem, Equatable {
    static let problemType = "https://example.com/problems/speaker-exists"
    let id: String
    var status: HTTPResponse.Status { .conflict }
}

struct NoSuchSpeaker: HTTPProblem, Equatable {
    static let problemType = "https://example.com/problems/no-such-speaker"
    let id: String
    var status: HTTPResponse.Status { .notFound }
}

/// Speakers in memory.
private actor SpeakerStore {
    private var speakers: [String: Speaker] = [:]
    private var photos: [String: Data] = [:]

    func add(_ new: AddSpeaker) throws {
        guard speakers[new.id] == nil else { throw SpeakerExists(id: new.id) }
        speakers[new.id] = Speaker(id: new.id, name: new.name, talks: new.talks, photo: "")
    }

    func remove(_ id: String) throws {
        guard speakers.removeValue(forKey: id) != nil else { throw NoSuchSpeaker(id: id) }
    }

    func speaker(_ id: String) throws -> Speaker {
        guard let speaker = speakers[id] else { throw NoSuchSpeaker(id: id) }
        return speaker
    }

    func setPhoto(_ png: Data, of id: String) throws {
        let old = try speaker(id)
        photos[id] = png
        speakers[id] = Speaker(id: id, name: old.name, talks: old.talks, photo: "photo.png")
    }

    func photo(of id: String) throws -> Data {
        guard let photo = photos[id] else { throw NoSuchSpeaker(id: id) }
        return photo
    }
}

private struct AddSpeakerHandler: CommandHandler {
    let store: SpeakerStore
    func handle(_ command: AddSpeaker) async throws { try await store.add(command) }
}

private struct RemoveSpeakerHandler: CommandHandler {
    let store: SpeakerStore
    func handle(_ command: RemoveSpeaker) async throws { try await store.remove(command.id) }
}

private struct SetPhotoHandler: CommandHandler {
    let store: SpeakerStore

    func handle(_ command: SetPhoto) async throws {
        // The photo without the form around it.
        let form = command.body.data
        let png = form.dropFirst(SetPhoto.formHead.count).dropLast(SetPhoto.formTail.count)
        try await store.setPhoto(png, of: command.id)
    }
}

private struct LoadSpeakerHandler: QueryHandler {
    let store: SpeakerStore
    func handle(_ query: LoadSpeaker) async throws -> Speaker { try await store.speaker(query.id) }
}

private struct LoadPhotoHandler: QueryHandler {
    let store: SpeakerStore
    func handle(_ query: LoadPhoto) async throws -> HTTPBytes {
        HTTPBytes(try await store.photo(of: query.id), mediaType: "image/png")
    }
}
