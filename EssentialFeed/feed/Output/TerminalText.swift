import FeedPresentation

/// A text that only the terminal shows.
enum TerminalText {
    /// The column of the images' descriptions.
    case image
    /// The column of the publishers' words.
    case caption
    /// The column of the publishers.
    case author
    /// Says that the feed is from the server.
    case fromServer
    /// Says that the feed is from the cache.
    case fromCache
    /// Says how to load more; `%@` stands for the next number of pages.
    case mayHaveMore
    /// Says how to print earlier comments; `%@` stands for the id of the first one that is printed.
    case earlierComments
    /// Says how many images are without bytes; `%@` stands for the number.
    case missingImages
    /// Says how to see a picture that the terminal cannot show.
    case seePicture
    /// Says that new images or comments are printed when they arrive.
    case waitingForChanges
    /// Says that the connection was lost and is there again.
    case connectedAgain
    /// Says that no comments wait for the server.
    case noWaitingComments
    /// The column of the states of waiting comments.
    case state
    /// Says that a comment waits.
    case stateWaiting
    /// Says that the server refused a comment.
    case stateFailed
    /// Says that a comment was posted; `%@` stands for the image.
    case posted
    /// Says that the server asks to wait; `%@` stands for the number of seconds.
    case serverAsksToWait
    /// Says that a comment waits, and what sends it.
    case waitsInOutbox
    /// Says that an image was published.
    case published
    /// Says that an image was published before; `%@` stands for it.
    case publishedBefore
    /// Says that the texts of an image were corrected; `%@` stands for the image.
    case corrected
    /// Says that an image was removed; `%@` stands for it.
    case removedImage
    /// Says that an image was removed before; `%@` stands for it.
    case removedBefore
    /// Says that a comment was removed; `%@` stands for it.
    case removedComment

    fileprivate var translations: (english: String, greek: String, portuguese: String) {
        switch self {
        case .image: ("Image", "Εικόνα", "Imagem")
        case .caption: ("Caption", "Λεζάντα", "Legenda")
        case .author: ("Author", "Δημιουργός", "Autor")
        case .fromServer: ("From the server.", "Από τον διακομιστή.", "Do servidor.")
        case .fromCache: ("From the cache.", "Από την προσωρινή μνήμη.", "Do cache.")
        case .mayHaveMore:
            (
                "There may be more images. To load them, add --pages %@ or --all.",
                "Ίσως υπάρχουν κι άλλες εικόνες. Για να φορτωθούν, προσθέστε --pages %@ ή --all.",
                "Pode haver mais imagens. Para carregá-las, acrescente --pages %@ ou --all."
            )
        case .earlierComments:
            (
                "There are earlier comments. To print them, add --before %@",
                "Υπάρχουν προηγούμενα σχόλια. Για να εμφανιστούν, προσθέστε --before %@",
                "Há comentários anteriores. Para exibi-los, acrescente --before %@"
            )
        case .missingImages:
            ("Images that could not be loaded: %@", "Εικόνες που δεν φορτώθηκαν: %@", "Imagens não carregadas: %@")
        case .seePicture:
            (
                "To see the picture, write it to a file with --output.",
                "Για να δείτε την εικόνα, γράψτε την σε αρχείο με --output.",
                "Para ver a imagem, grave-a em um arquivo com --output."
            )
        case .waitingForChanges:
            (
                "Waiting for changes. Press Ctrl-C to stop.",
                "Αναμονή για αλλαγές. Πατήστε Ctrl-C για διακοπή.",
                "Aguardando mudanças. Pressione Ctrl-C para parar."
            )
        case .connectedAgain:
            ("Connected again.", "Η σύνδεση αποκαταστάθηκε.", "Conectado novamente.")
        case .noWaitingComments:
            (
                "No comments wait for the server.",
                "Κανένα σχόλιο δεν περιμένει τον διακομιστή.",
                "Nenhum comentário espera pelo servidor."
            )
        case .state: ("State", "Κατάσταση", "Estado")
        case .stateWaiting: ("waiting", "σε αναμονή", "aguardando")
        case .stateFailed: ("failed", "απορρίφθηκε", "recusado")
        case .posted:
            (
                "Posted a comment on the image %@.",
                "Δημοσιεύτηκε ένα σχόλιο στην εικόνα %@.",
                "Comentário publicado na imagem %@."
            )
        case .serverAsksToWait:
            (
                "The server asks to wait %@ seconds before the next comment, so this one is sent later.",
                "Ο διακομιστής ζητά αναμονή %@ δευτερολέπτων πριν από το επόμενο σχόλιο, οπότε αυτό θα σταλεί αργότερα.",
                "O servidor pede para aguardar %@ segundos antes do próximo comentário; este será enviado mais tarde."
            )
        case .waitsInOutbox:
            (
                """
                The comment waits in the outbox. A running "feed web", or the next "feed reply" or "feed outbox \
                send", sends it when the server accepts it.
                """,
                """
                Το σχόλιο περιμένει στα εξερχόμενα. Ένα "feed web" που εκτελείται ή το επόμενο "feed reply" ή \
                "feed outbox send" θα το στείλει μόλις ο διακομιστής το δεχτεί.
                """,
                """
                O comentário aguarda na caixa de saída. Um "feed web" em execução, ou o próximo "feed reply" ou \
                "feed outbox send", vai enviá-lo quando o servidor o aceitar.
                """
            )
        case .published: ("Published the image.", "Η εικόνα δημοσιεύτηκε.", "Imagem publicada.")
        case .publishedBefore:
            (
                "The image %@ was published before, and nothing was changed. To correct its texts: feed edit %@",
                """
                Η εικόνα %@ είχε ήδη δημοσιευτεί και δεν άλλαξε τίποτα. Για να διορθώσετε τα κείμενά της: feed \
                edit %@
                """,
                "A imagem %@ já tinha sido publicada, e nada mudou. Para corrigir seus textos: feed edit %@"
            )
        case .corrected:
            (
                "Corrected the texts of the image %@.",
                "Τα κείμενα της εικόνας %@ διορθώθηκαν.",
                "Textos da imagem %@ corrigidos."
            )
        case .removedImage:
            (
                "Removed the image %@ and its comments.",
                "Η εικόνα %@ και τα σχόλιά της αφαιρέθηκαν.",
                "Imagem %@ removida, com seus comentários."
            )
        case .removedBefore:
            (
                "The image %@ was removed before.",
                "Η εικόνα %@ είχε ήδη αφαιρεθεί.",
                "A imagem %@ já tinha sido removida."
            )
        case .removedComment: ("Removed the comment %@.", "Το σχόλιο %@ αφαιρέθηκε.", "Comentário %@ removido.")
        }
    }
}

extension Language {
    /// Returns a text of the terminal, with a value in place of each `%@`.
    func text(_ text: TerminalText, _ value: (any CustomStringConvertible)? = nil) -> String {
        let (english, greek, portuguese) = text.translations
        let translation =
            switch self {
            case .english: english
            case .greek: greek
            case .brazilianPortuguese: portuguese
            }
        return value.map { translation.replacing("%@", with: "\($0)") } ?? translation
    }
}
