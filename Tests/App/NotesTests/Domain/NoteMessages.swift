import Duet
import Foundation

struct Note: Codable, Hashable, Sendable {
    let id: UUID
    var title: String
}

struct AddNote: Command, Codable, Hashable {
    let id: UUID
    let title: String
}

struct RenameNote: Command, Codable, Hashable {
    let id: UUID
    let title: String
}

/// Adds several notes by other commands; it has no route, so only this process can send it.
struct ImportNotes: Command {
    let notes: [AddNote]
}

struct ListNotes: Query, Codable, Hashable {
    typealias Value = [Note]
    var searchText: String?
    var limit = 20
}

// MARK: Errors

struct NoteNotFound: Error, Codable, Hashable {
    let id: UUID
}

struct EmptyTitle: Error, Equatable, CustomStringConvertible {
    var description: String { "A note needs a title." }

    static func check(_ title: String) throws {
        if title.allSatisfy(\.isWhitespace) { throw EmptyTitle() }
    }
}

extension AddNote: Validatable {
    func validate() throws { try EmptyTitle.check(title) }
}

extension RenameNote: Validatable {
    func validate() throws { try EmptyTitle.check(title) }
}
