/**
 * What words in headers and questions mean, in English, German, French, Spanish and Portuguese: a concept and the words and phrases for it. Written as people write; `meaning.ts`
 * takes case, accents and punctuation away. A phrase wins over its words.
 */
export const concepts: Readonly<Record<string, string>> = {
  // People and how to reach them
  "first name":
    "first name|firstname|given name|given names|forename|fname|vorname|rufname|prénom|nombre de pila|primer nombre|nome próprio|primeiro nome",
  "last name":
    "last name|lastname|surname|family name|lname|nachname|familienname|zuname|nom de famille|apellido|apellidos|sobrenome|apelido",
  "middle name": "middle name|second name|zweiter vorname|deuxième prénom|segundo nombre|nome do meio",
  "full name":
    "full name|fullname|complete name|first and last name|name and surname|your name|vollständiger name|vor und nachname|vor und zuname|nom complet|nom et prénom|prénom et nom|nombre completo|nombre y apellido|nombre y apellidos|nome completo|nome e sobrenome",
  name: "name|names|namen|nom|noms|nombre|nombres|nome|nomes",
  nickname:
    "nickname|user name|username|benutzername|spitzname|pseudo|pseudonyme|nom d'utilisateur|apodo|nombre de usuario|nome de usuário",
  salutation: "salutation|courtesy title|anrede|civilité|tratamiento|tratamento|form of address|mr mrs",
  title: "title|titel|titre|título",
  email:
    "email|emails|e-mail|e-mails|mail|mail address|email address|e-mail address|e mail adresse|mailadresse|emailadresse|courriel|adresse mail|adresse email|adresse e-mail|adresse courriel|adresse électronique|correo|correo electrónico|dirección de correo|dirección de correo electrónico|dirección de email|correio eletrônico|correio electrónico|endereço de e-mail|endereço de email|endereço eletrônico",
  phone:
    "phone|phones|phone number|phonenumber|phone no|telephone|telephone number|tel|tel no|contact number|telefon|telefonnummer|rufnummer|fon|téléphone|numéro de téléphone|teléfono|número de teléfono|telefone|número de telefone|número de contacto",
  mobile:
    "mobile|mobile phone|mobile number|mobile phone number|cell|cell phone|cell phone number|cellphone|handy|handynummer|mobil|mobilnummer|mobiltelefon|portable|téléphone portable|téléphone mobile|móvil|teléfono móvil|celular|teléfono celular|telemóvel|whatsapp",
  fax: "fax|faxnummer|télécopie|fax number",
  birthday:
    "birthday|birthdate|birth date|date of birth|born|born on|dob|geburtstag|geburtsdatum|geboren|geboren am|geb datum|gebdatum|geb dat|gebdat|geb am|geb tag|date de naissance|né le|née le|naissance|fecha de nacimiento|nacimiento|cumpleaños|data de nascimento|nascimento|aniversário|when were you born|wann sind sie geboren|wann wurden sie geboren",
  "birth year":
    "birth year|year of birth|year born|geburtsjahr|année de naissance|año de nacimiento|ano de nascimento|en qué año naciste|en qué año nació|what year were you born|in which year were you born|em que ano nasceu",
  age:
    "age|how old|how old are you|alter|wie alt|wie alt sind sie|âge|quel âge|edad|cuántos años tienes|idade|age group|age range|altersgruppe|tranche d'âge|grupo de edad|rango de edad|faixa etária",
  gender: "gender|sex|gender identity|geschlecht|sexe|genre|sexo|género|gênero",
  nationality:
    "nationality|citizenship|staatsangehörigkeit|nationalität|nationalité|nacionalidad|nacionalidade|cidadania",
  race: "race|rasse|raza|raça",
  ethnicity:
    "ethnicity|ethnic origin|ethnic background|ethnische herkunft|ethnie|origine ethnique|origen étnico|etnia|origem étnica",
  "marital status": "marital status|relationship status|familienstand|situation familiale|état civil|estado civil",
  children: "children|kids|child|kinder|kind|enfants|enfant|hijos|niños|niño|filhos|crianças|criança",
  parent:
    "parent|parents|guardian|eltern|elternteil|erziehungsberechtigte|tuteur|padre o madre|padres|tutor legal|responsável",
  mother: "mother|mom|mutter|mère|madre|mãe",
  father: "father|dad|vater|père|padre|pai",
  partner: "partner|spouse|significant other|husband|wife|ehepartner|conjoint|cónyuge|pareja|cônjuge|parceiro",
  friend: "friend|friends|freund|freunde|freundin|ami|amis|amie|amigo|amigos|amiga",
  family: "family|relatives|familie|famille|familia|familiar|família",
  colleague: "colleague|colleagues|coworker|co-worker|kollege|kollegen|kollegin|collègue|collègues|colega|colegas",
  person:
    "person|people|persons|persons attending|personen|leute|personne|personnes|gens|persona|personas|gente|pessoa|pessoas",
  household: "household|household size|haushalt|haushaltsgröße|foyer|ménage|hogar|agregado familiar|domicílio",
  language: "language|languages|preferred language|sprache|sprachen|langue|langues|idioma|idiomas|lengua|língua",
  photo: "photo|photos|picture|image|photograph|foto|bild|photographie|imagen|imagem|fotografía|headshot",
  emergency:
    "emergency|emergency contact|notfall|notfallkontakt|urgence|contact d'urgence|emergencia|contacto de emergencia|emergência",
  insurance: "insurance|versicherung|assurance|seguro",

  // Places
  address:
    "address|adress|postal address|mailing address|home address|adresse|anschrift|postanschrift|adresse postale|dirección|domicilio|dirección postal|endereço|morada",
  street:
    "street|street address|address line 1|street name|straße|strasse|str|straße und hausnummer|straße hausnummer|straße hausnr|straße und hausnr|straße u hausnr|str hausnr|straße nr|str nr|street and number|street and house number|street house number|rue|numéro et rue|rue et numéro|calle|calle y número|calle número|rua|rua e número|logradouro",
  "house number":
    "house number|house no|street number|hausnummer|hausnr|numéro de rue|número de casa|número exterior|número da casa",
  "address line 2":
    "address line 2|address 2|adresszusatz|complément d'adresse|complemento|apartment|apt|suite|línea 2",
  city:
    "city|town|city town|municipality|ort|stadt|wohnort|ville|commune|localité|ciudad|localidad|población|municipio|cidade|localidade|município",
  state:
    "state|province|state province|state region province|bundesland|kanton|provinz|département|canton|provincia|departamento|província|uf",
  region: "region|area|census region|gegend|gebiet|région|región|comunidad autónoma|região",
  zip:
    "zip|zip code|zipcode|postal code|post code|postcode|zip postal code|zip post code|plz|postleitzahl|code postal|cp|código postal|cep|código de endereçamento postal",
  country:
    "country|country of residence|land|staat|pays|país|nation|country region|wohnsitzland|pays de résidence|país de residencia|país de residência|where do you live|in which country do you live|in welchem land leben sie|in welchem land wohnen sie",
  location: "location|place|venue|standort|lieu|emplacement|lugar|ubicación|localização",
  coordinates: "coordinates|gps|geolocation|geopoint|koordinaten|coordonnées gps|coordenadas",
  latitude: "latitude|lat|breitengrad|latitud",
  longitude: "longitude|lon|lng|längengrad|longitud",
  district: "district|neighbourhood|neighborhood|stadtteil|bezirk|quartier|barrio|bairro|distrito",
  hotel: "hotel|accommodation|lodging|unterkunft|hébergement|alojamiento|hospedagem|alojamento",
  room: "room|zimmer|raum|chambre|salle|habitación|quarto|sala",

  // Work, school
  company:
    "company|company name|organisation|organization|employer|firm|business|business name|institution|firma|firmenname|unternehmen|arbeitgeber|einrichtung|entreprise|société|nom de l'entreprise|employeur|organisme|empresa|nombre de la empresa|organización|compañía|institución|nome da empresa|organização|instituição|empregador",
  department: "department|dept|division|unit|abteilung|bereich|département de travail|area de trabajo|setor",
  "job title":
    "job title|jobtitle|job|position|role|job role|job position|occupation|profession|work title|funktion|beruf|stellenbezeichnung|tätigkeit|poste|fonction|métier|profession exercée|cargo|puesto|cargo laboral|ocupación|profesión|cargo atual|profissão|função|ocupação|nombre de tu cargo laboral|what do you do for a living",
  industry:
    "industry|sector|branche|industrie|secteur|secteur d'activité|industria|rubro|setor de atividade|indústria|ramo",
  team: "team|gruppe|group|équipe|groupe|equipo|grupo|equipe",
  manager:
    "manager|supervisor|boss|vorgesetzter|vorgesetzte|chef|führungskraft|responsable|supérieur|jefe|gerente|gestor|chefe",
  employee:
    "employee|staff|mitarbeiter|mitarbeiterin|angestellter|employé|salarié|empleado|trabajador|funcionário|empregado|colaborador",
  "employee count":
    "number of employees|company size|headcount|mitarbeiterzahl|anzahl mitarbeiter|nombre d'employés|effectif|número de empleados|número de funcionários",
  salary: "salary|wage|pay|gehalt|lohn|salaire|salario|sueldo|salário",
  income:
    "income|household income|einkommen|haushaltseinkommen|revenu|revenus|revenu du foyer|ingresos|renta|renda|rendimento|renda familiar",
  education:
    "education|education level|level of education|highest level of education|highest degree|educational attainment|bildung|bildungsabschluss|schulabschluss|höchster abschluss|höchster bildungsabschluss|niveau d'études|niveau d'éducation|formation|diplôme|nivel educativo|nivel de estudios|educación|estudios|escolaridade|nível de escolaridade|nível de educação|formação",
  school: "school|schule|école|escuela|colegio|escola",
  university: "university|college|universität|hochschule|université|universidad|universidade|faculdade",
  student: "student|pupil|studierende|schüler|schülerin|studentin|étudiant|élève|estudiante|alumno|estudante|aluno",
  teacher:
    "teacher|instructor|lehrer|lehrerin|dozent|enseignant|professeur|formateur|profesor|maestro|docente|professor|instrutor",
  course: "course|class|training|kurs|lehrgang|schulung|seminar|cours|stage|curso|clase|formación|aula|treinamento",
  grade: "grade|mark|note scolaire|schulnote|klasse|calificación|nota escolar|série|grado",
  skill: "skill|skills|fähigkeiten|kenntnisse|compétence|compétences|habilidades|competencias|competências",
  experience: "experience|expertise|erfahrung|erfahrungen|expérience|experiencia|experiência",
  level: "level|stufe|niveau|nivel|nível",
  project: "project|projects|projekt|projekte|projet|projets|proyecto|proyectos|projeto",
  website:
    "website|web site|homepage|web page|webpage|web|url|internetseite|webseite|site web|site internet|sitio web|página web|site|página",
  link: "link|hyperlink|lien|enlace|verknüpfung",
  linkedin: "linkedin|linked in|linkedin profile",

  // Times
  date: "date|day|datum|tag|jour|fecha|día|data|dia",
  time: "time|hour|uhrzeit|zeit|heure|hora|horaire|horário",
  "date and time":
    "date and time|date time|datetime|datum und uhrzeit|date et heure|fecha y hora|data e hora|timestamp|zeitstempel|horodateur|marca temporal|carimbo de data hora",
  year: "year|years|jahr|jahre|année|années|año|años|ano|anos",
  month: "month|months|monat|monate|mois|mes|meses|mês",
  week: "week|weeks|woche|wochen|semaine|semaines|semana|semanas",
  hours: "hours|stunden|heures|horas",
  minutes: "minutes|minuten|minutos",
  duration:
    "duration|length of time|dauer|durée|duración|duração|how long|wie lange|combien de temps|cuánto tiempo|quanto tempo",
  start:
    "start|begin|beginning|started|begann|beginn|anfang|début|commencement|inicio|comienzo|início|começo|comenzó|comenzaste|começou|starting|start date|startdatum",
  end: "end|ending|finish|ende|schluss|fin|final|término|fim|end date|enddatum|termina|termine",
  arrival: "arrival|arrive|arriving|check-in|check in|ankunft|anreise|arrivée|llegada|chegada|entrada",
  departure: "departure|depart|leaving|check-out|check out|abreise|abfahrt|départ|salida|partida|saída",
  created:
    "created|created at|created on|creation|entered|date created|erstellt|erstellt am|erfasst|erfasst am|angelegt|angelegt am|créé|créé le|creado|fecha de creación|creado el|criado|criado em|data de criação",
  updated:
    "updated|updated at|updated on|modified|modified at|changed|last modified|last updated|last changed|geändert|geändert am|letzte änderung|aktualisiert|modifié|modifié le|mis à jour|modificado|actualizado|última modificación|alterado|atualizado|modificado em",
  submitted:
    "submitted|submitted at|submitted on|submission date|submission time|eingereicht|eingegangen|eingang|gesendet|envoyé|envoyé le|soumis|enviado|fecha de envío|enviado em|data de envio",
  opened: "opened|opened at|geöffnet|eröffnet|ouvert le|abierto|aberto em",
  registered:
    "registered|registration date|signed up|sign up date|angemeldet|anmeldedatum|inscrit|date d'inscription|fecha de inscripción|fecha de registro|data de inscrição|data de registo",
  since: "since|seit|depuis|desde",
  deadline:
    "deadline|due|due date|due by|fällig|fälligkeit|fälligkeitsdatum|frist|échéance|date limite|fecha límite|vencimiento|vencimento|prazo",
  appointment: "appointment|meeting|booking|termin|rendez-vous|cita|reunión|encontro|agendamento|consulta",
  callback: "callback|call back|rückruf|rappel|devolución de llamada|retorno de chamada",
  frequency:
    "frequency|how often|how frequently|häufigkeit|wie oft|wie häufig|fréquence|à quelle fréquence|frecuencia|con qué frecuencia|frequência|com que frequência",
  availability:
    "availability|available|verfügbarkeit|verfügbar|disponibilité|disponible|disponibilidad|disponibilidade",

  // Trade
  customer: "customer|client|kunde|kundin|kunden|cliente|clientes",
  number: "number|nr|num|#|nummer|numéro|número|nº",
  count:
    "count|how many|quantity|qty|anzahl|menge|wie viele|nombre de|quantité|combien|cantidad|cuántos|cuántas|cuánto|quantidade|quantos|quantas|quanto|number of",
  id: "id|identifier|ident|kennung|identifiant|identificador|identificación|uuid|guid|key|schlüssel",
  code: "code|kode|código|kürzel",
  "customer number":
    "customer number|customer no|customer id|client number|client id|kundennummer|kundennr|kunden nr|numéro client|número de cliente|nº cliente",
  order: "order|purchase|bestellung|auftrag|commande|pedido|orden|compra|encomenda",
  product:
    "product|products|item|items|article|produkt|produkte|artikel|produit|produits|producto|productos|artículo|produto|produtos",
  price: "price|cost|preis|kosten|prix|coût|precio|coste|costo|preço|custo",
  amount: "amount|sum|betrag|summe|montant|somme|importe|monto|valor|quantia|montante",
  total: "total|gesamt|gesamtbetrag|gesamtsumme|total amount|montant total|importe total|valor total",
  fee: "fee|fees|gebühr|teilnahmegebühr|frais|cuota|tarifa|taxa",
  revenue: "revenue|turnover|sales|umsatz|chiffre d'affaires|ventas|facturación|faturamento|vendas|volume de negócios",
  budget: "budget|etat|presupuesto|orçamento",
  discount: "discount|rebate|rabatt|ermäßigung|nachlass|remise|réduction|descuento|desconto",
  percent: "percent|percentage|prozent|pourcentage|porcentaje|por ciento|porcentagem|percentagem|in percent",
  currency: "currency|währung|devise|monnaie|moneda|divisa|moeda",
  payment:
    "payment|paid|payment method|zahlung|bezahlung|zahlungsart|bezahlt|paiement|mode de paiement|payé|pago|método de pago|pagamento|forma de pagamento",
  invoice: "invoice|bill|rechnung|facture|factura|fatura",
  "tax number":
    "tax number|tax id|vat|vat number|vat id|ust id|ust idnr|steuernummer|umsatzsteuer id|siret|numéro de tva|tva|nif|cif|rfc|cnpj|cpf|número de contribuinte",
  iban: "iban|bank account|kontonummer|bankverbindung|compte bancaire|cuenta bancaria|conta bancária",
  contract: "contract|agreement number|vertrag|contrat|contrato",
  donation: "donation|spende|don|donación|doação",
  shipping: "shipping|delivery|lieferung|versand|livraison|envío|entrega|delivery address|lieferadresse",
  billing: "billing|rechnungsadresse|facturation|billing address|facturación|cobrança",
  size: "size|größe|taille|talla|tamaño|tamanho",
  "shirt size":
    "shirt size|t-shirt size|tshirt size|t shirt|tshirt|t-shirt größe|t-shirt-größe|taille de t-shirt|talla de camiseta|tamanho da camiseta|tamanho da camisa",
  color: "color|colour|farbe|couleur|cor",
  weight: "weight|gewicht|poids|peso",
  height: "height|körpergröße|hauteur|taille corporelle|altura|estatura",
  warranty: "warranty|garantie|garantía|garantia",

  // Opinions
  rating:
    "rating|rate|score|stars|overall rating|bewertung|punkte|évaluation|évaluez|étoiles|valoración|calificación|puntuación|califica|calificarías|avaliação|pontuação|classificação|bewerten",
  satisfaction:
    "satisfaction|satisfied|how satisfied|satisfaction level|zufriedenheit|zufrieden|wie zufrieden|satisfait|satisfaite|satisfacción|satisfecho|satisfecha|satisfação|satisfeito|satisfeita",
  recommend:
    "recommend|recommendation|likely to recommend|nps|net promoter score|empfehlen|weiterempfehlen|weiterempfehlung|recommander|recommandation|recommanderiez|recomendar|recomendarías|recomiendes|recomendación|recomendaria|recomendação",
  likelihood:
    "likelihood|likely|probability|probable|wahrscheinlich|wahrscheinlichkeit|probabilité|probabilidad|provável|probabilidade|how likely|wie wahrscheinlich|qué tan probable",
  comment:
    "comment|comments|remark|remarks|additional comments|further comments|kommentar|kommentare|anmerkung|anmerkungen|bemerkung|bemerkungen|commentaire|commentaires|remarque|remarques|comentario|comentarios|observaciones|comentário|comentários|observações|anything else|sonstiges",
  note: "note|notes|notiz|notizen|vermerk|nota|notas|anotación|anotações",
  feedback: "feedback|rückmeldung|retour|retours|retroalimentación|opinión sobre|opinião sobre",
  message: "message|nachricht|mitteilung|mensaje|mensagem",
  question: "question|frage|pregunta|pergunta",
  answer: "answer|response|antwort|réponse|respuesta|resposta",
  suggestion:
    "suggestion|suggestions|ideas|improvement|improvements|improve|vorschlag|vorschläge|verbesserungsvorschläge|verbessern|verbesserung|améliorer|améliorations|amélioration|sugerencia|sugerencias|mejorar|mejoras|mejora|sugestão|sugestões|melhorar|melhorias|melhoria",
  opinion: "opinion|view|views|think|meinung|avis|opinión|opinião|pensez",
  reason:
    "reason|why|reason for|grund|warum|begründung|weshalb|raison|pourquoi|motif|razón|motivo|por qué|razão|por que|porquê",
  purpose: "purpose|goal|aim|zweck|ziel|objectif|propósito|objetivo|finalidade|finalidad",
  expectation: "expectation|expectations|erwartung|erwartungen|attentes|expectativas|expectativa",
  favorite: "favorite|favourite|preferred|lieblings|favori|préféré|préférée|favorito|favorita|preferido|preferida",
  like:
    "like|likes|liked|enjoy|enjoyed|enjoyment|mögen|gefällt|gefallen|aimer|aimez|aimé|plu|apprécié|gusta|gustó|disfruta|disfrutas|disfrutar|gosta|gostou|gostei",
  dislike: "dislike|disliked|gefällt nicht|déplu|disgusta|não gostou|no gustó",
  difficulty:
    "difficult|difficulty|hard|schwierig|schwierigkeit|schwer|difficile|difficulté|difícil|dificultad|dificuldade",
  ease: "easy|ease|einfach|leicht|facile|facilité|fácil|facilidad|facilidade|ease of use",
  obstacle:
    "obstacle|barrier|challenge|challenges|hindernis|herausforderung|herausforderungen|défi|défis|obstáculo|desafío|desafíos|reto|desafio|desafios",
  quality: "quality|qualität|qualité|calidad|qualidade",
  service: "service|dienst|kundenservice|servicio|serviço|dienstleistung",
  support: "support|help|assistance|hilfe|unterstützung|aide|soutien|ayuda|apoyo|soporte|ajuda|apoio|suporte",
  speed: "speed|geschwindigkeit|schnelligkeit|vitesse|rapidité|velocidad|rapidez|velocidade",
  agree: "agree|agreement|zustimmen|stimme zu|daccord|de acuerdo|concordo",
  important: "important|importance|wichtig|wichtigkeit|importante|importancia|importância",
  interest:
    "interest|interests|interested|interested in|hobby|hobbies|interesse|interessen|hobbys|intérêt|intérêts|centres d'intérêt|loisirs|interés|intereses|aficiones|interesses|passatempos",
  choice:
    "choice|preference|preferences|wahl|auswahl|präferenz|choix|préférence|elección|preferencia|preferencias|escolha|preferência",
  priority: "priority|urgency|priorität|dringlichkeit|priorité|prioridad|urgencia|prioridade|urgência",
  future: "future|in the future|zukunft|zukünftig|futur|avenir|futuro|próximo año",
  problem:
    "problem|problems|issue|issues|fehler|probleme|problème|problèmes|problema|problemas|error|incident|vorfall|incidencia|incidente",

  // Consent and subscriptions
  newsletter: "newsletter|mailing list|rundbrief|infolettre|boletín|boletim|lista de correo|newsletter abonnieren",
  subscribe:
    "subscribe|subscription|opt in|opt-in|abonnieren|abonnement|abo|abonner|s'abonner|suscribirse|suscripción|subscrever|assinar|assinatura",
  consent:
    "consent|i agree|agreement to terms|einwilligung|einverstanden|einverständnis|zustimmung|consentement|j'accepte|consentimiento|acepto|consentimento|aceito|concordo com",
  privacy:
    "privacy|privacy policy|data protection|gdpr|datenschutz|datenschutzerklärung|dsgvo|rgpd|confidentialité|politique de confidentialité|privacidad|política de privacidad|protección de datos|privacidade|política de privacidade|lgpd",
  terms:
    "terms|terms and conditions|terms of service|agb|nutzungsbedingungen|teilnahmebedingungen|conditions générales|cgu|términos|términos y condiciones|termos|termos e condições|termos de uso",
  signature: "signature|unterschrift|firma electrónica|assinatura digital|rubrica",

  // Events
  event: "event|events|veranstaltung|veranstaltungen|événement|événements|évènement|evento|eventos",
  conference: "conference|konferenz|tagung|conférence|congrès|conferencia|congreso|conferência|congresso",
  workshop: "workshop|workshops|atelier|ateliers|taller|talleres|oficina|oficinas",
  session: "session|sessions|sitzung|séance|sesión|sesiones|sessão|sessões",
  talk: "talk|presentation|vortrag|präsentation|exposé|présentation|charla|ponencia|presentación|palestra|apresentação",
  speaker: "speaker|referent|referentin|sprecher|intervenant|orateur|ponente|orador|palestrante",
  ticket:
    "ticket|tickets|ticket type|ticketart|eintrittskarte|billet|billets|type de billet|entrada tipo|boleto|tipo de entrada|ingresso|bilhete|tipo de ingresso",
  guest:
    "guest|guests|plus one|accompanying persons|accompanying person|gast|gäste|begleitperson|begleitpersonen|invité|invités|accompagnants|invitado|invitados|acompañantes|acompañante|convidado|convidados|acompanhantes",
  attend:
    "attend|attending|attendance|participate|participation|rsvp|teilnahme|teilnehmen|teilnahme bestätigen|participer|participerez|présence|asistir|asistencia|asistirá|asistirás|participar|participação|presença|comparecer|will you come|kommen sie",
  participant: "participant|attendee|teilnehmer|teilnehmerin|participante|asistente|participantes",
  diet:
    "diet|dietary|dietary requirements|dietary restrictions|dietary needs|ernährung|essenswünsche|ernährungsweise|régime|régime alimentaire|restrictions alimentaires|dieta|restricciones alimentarias|restrições alimentares|requisitos dietéticos",
  vegetarian: "vegetarian|vegan|vegetarisch|végétarien|vegetariano|vegetariana",
  allergy: "allergy|allergies|food allergies|allergie|allergien|allergènes|alergia|alergias",
  meal:
    "meal|meals|food|lunch|dinner|breakfast|essen|mahlzeit|mittagessen|abendessen|repas|nourriture|déjeuner|dîner|comida|almuerzo|cena|refeição|almoço|jantar",
  accessibility:
    "accessibility|special needs|barrierefreiheit|besondere bedürfnisse|accessibilité|besoins particuliers|accesibilidad|necesidades especiales|acessibilidade|necessidades especiais",
  "how heard":
    "how did you hear|how did you hear about us|heard about|where did you hear about us|how did you find us|referral source|wie haben sie von uns erfahren|wie sind sie auf uns aufmerksam geworden|comment avez vous entendu parler|comment nous avez vous connu|cómo nos conoció|cómo se enteró|cómo nos conociste|como nos conheceu|como soube|como ficou sabendo",

  // Health
  health: "health|gesundheit|santé|salud|saúde",
  diabetes: "diabetes|has diabetes|diabète",
  disease: "disease|illness|condition|krankheit|erkrankung|vorerkrankungen|maladie|enfermedad|doença",
  symptom: "symptom|symptoms|symptome|symptôme|symptômes|síntoma|síntomas|sintomas|sintoma",
  medication:
    "medication|medications|medicine|medikament|medikamente|médicament|médicaments|medicamento|medicamentos|medicación|remédio",
  doctor: "doctor|physician|gp|arzt|ärztin|hausarzt|médecin|docteur|médico|doctor de cabecera",
  patient: "patient|patientin|paciente",
  hospital: "hospital|clinic|krankenhaus|klinik|hôpital|clinique|clínica",
  smoke: "smoke|smoker|smoking|cigarettes|rauchen|raucher|rauchen sie|fumer|fumez|fumeur|fumar|fuma|fumador|fumante",
  alcohol: "alcohol|drink alcohol|alkohol|alcool|álcool",
  exercise: "exercise|sport|sports|sporte|exercice|deporte|ejercicio|exercício|esporte|desporto",
  sleep: "sleep|schlaf|schlafen|sommeil|dormir|sueño|sono",
  vaccination: "vaccination|vaccine|vaccinated|impfung|geimpft|vaccin|vacuna|vacunación|vacina|vacinação",

  // Records
  status: "status|zustand|statut|état|estado",
  type: "type|kind|art|typ|sorte|tipo",
  category: "category|kategorie|catégorie|categoría|categoria",
  topic: "topic|subject|subject line|betreff|thema|sujet|objet|asunto|tema|assunto",
  description:
    "description|details|describe|beschreibung|beschreiben sie|einzelheiten|décrivez|descripción|describe usted|detalles|descrição|descreva|detalhes",
  reference: "reference|ref|reference number|referenz|aktenzeichen|référence|referencia|referência",
  source: "source|origin|imported from|quelle|herkunft|provenance|origine|origen|fuente|origem|fonte|procedencia",
  channel: "channel|channels|kanal|kanäle|canal|canaux|canales|canais",
  campaign: "campaign|utm campaign|kampagne|campagne|campaña|campanha",
  file:
    "file|files|attachment|attachments|upload|document|documents|datei|dateien|anhang|anhänge|dokument|fichier|fichiers|pièce jointe|pièces jointes|archivo|archivos|adjunto|adjuntos|documento|documentos|arquivo|arquivos|anexo|anexos|ficheiro",
  resume: "resume|cv|curriculum vitae|lebenslauf|currículum|currículo",
  screenshot: "screenshot|bildschirmfoto|capture d'écran|captura de pantalla|captura de tela",
  agent: "agent|assignee|assigned to|bearbeiter|sachbearbeiter|zuständig|asignado a|agente|atribuído a",
  requester: "requester|reporter|antragsteller|melder|demandeur|solicitante|requerente",
  contact:
    "contact|contact person|ansprechpartner|ansprechpartnerin|kontakt|kontaktperson|personne de contact|contacto|persona de contacto|contato|pessoa de contato",
  resolved:
    "resolved|solved|closed|done|gelöst|erledigt|abgeschlossen|résolu|terminé|resuelto|cerrado|resolvido|concluído",
  page: "page|seite",
  device: "device|gerät|appareil|dispositivo|aparelho",
  software:
    "software|tool|tools|programm|logiciel|outil|outils|herramienta|herramientas|ferramenta|ferramentas|programa",
  computer: "computer|rechner|ordinateur|ordenador|computadora|computador",
  use:
    "use|uses|used|usage|using|utilize|nutzen|nutzung|verwenden|verwendung|benutzen|utiliser|utilisez|utilisation|usar|uso|usas|utiliza|utilizas|usaste|usado|uses usted|usa|utilização|aplicaciones|applications|anwendungen|aplicações",
  learn:
    "learn|learned|learning|learnt|lernen|gelernt|apprendre|appris|apprentissage|aprender|aprendiste|aprendió|aprendizaje|aprendeu|aprendizagem",
  work: "work|working|arbeit|arbeiten|travail|travailler|trabajo|trabajar|trabajas|trabalho|trabalhar",
  home: "home|zuhause|maison|domicile privé|casa",
  car: "car|vehicle|auto|fahrzeug|wagen|voiture|véhicule|coche|carro|vehículo|veículo",
  pet: "pet|pets|haustier|haustiere|animal de compagnie|mascota|mascotas|animal de estimação",
  book: "book|books|buch|bücher|livre|livres|libro|libros|livro|livros",
  film: "film|films|movie|movies|filme|película|películas|filmes",
  music: "music|musik|musique|música",
  see: "see|seen|watch|watched|gesehen|sehen|vu|vus|regardé|visto|vista|viste|ver|assistido|assistiu",
  know:
    "know|familiar|familiar with|kennen|bekannt|vertraut|connaître|connaissez|connu|conoce|conoces|conocer|familiarizado|conhece|conhecer",
  rank:
    "rank|ranking|rank order|order of preference|reihenfolge|rangfolge|rangliste|classement|classez|clasificación|ordena|ordene|classifique",
  character: "character|characters|figur|figuren|personnage|personnages|personaje|personajes|personagem|personagens",
  gamble: "gamble|gambling|glücksspiel|jouer de l'argent|apuestas|jogo de azar",
  cheat: "cheat|cheated|betrogen|trompé|engañado|infiel|traiu",
  drive: "drive|driving|fahren|conduire|conduces|conducir|dirigir",
  "speed limit": "speed limit|tempolimit|limitation de vitesse|límite de velocidad|limite de velocidade",
  eat: "eat|eating|isst|essen|manger|mangez|comer",
  steak: "steak|steaks|bistec|bife|entrecôte",
  cooked: "cooked|prepared|zubereitet|gebraten|gegart|cuit|cuisson|preparado|preparada|cocinado|cozido",
  skydiving: "skydiving|sky diving|fallschirmspringen|parachute|paracaidismo|paraquedismo",
  expected: "expected|expect|expecting|erwartet|prévu|esperado|esperas|esperado",
  yes: "yes|ja|oui|sí|sim",
  live:
    "live|living|reside|residence|wohnen|wohnhaft|habiter|habitez|résidence|vivir|vives|vive|resides|reside|residencia|residir|morar|mora|vivo|residência|reside em",
  identify: "identify|identity|identifizieren|identifiez|identificas|identifica|identificar|identidad|identidade",
  accompany:
    "accompany|accompanying|begleiten|accompagner|accompagnent|acompañan|acompañar|acompañantes|acompanham|acompanhar",
  withdraw: "withdraw|withdrawal|withdrawn|rückzug|widerruf|retrait|retiro|retirada",
  discharge: "discharge|discharged|entlassung|sortie d'hôpital|alta médica|alta hospitalar",

  // What is often chosen
  male: "male|man|männlich|mann|masculin|homme|masculino|hombre|varón|homem",
  female: "female|woman|weiblich|frau|féminin|femme|femenino|mujer|feminino|mulher",
  diverse: "non-binary|nonbinary|non binary|divers|nicht binär|non binaire|no binario|não binário",
  "no answer":
    "prefer not to say|prefer not to answer|keine angabe|k a|ne souhaite pas répondre|prefiero no decirlo|prefiero no responder|prefiro não dizer|prefiro não responder",
  always: "always|immer|toujours|siempre|sempre",
  often: "often|frequently|oft|häufig|souvent|a menudo|frecuentemente|frequentemente|muitas vezes",
  sometimes: "sometimes|occasionally|manchmal|gelegentlich|parfois|quelquefois|a veces|ocasionalmente|às vezes",
  rarely: "rarely|seldom|selten|rarement|rara vez|raramente",
  never: "never|nie|niemals|jamais|nunca",
  daily: "daily|every day|täglich|quotidien|tous les jours|diario|diariamente|a diario|cada día|todos os dias",
  weekly: "weekly|every week|wöchentlich|hebdomadaire|toutes les semaines|semanal|semanalmente|cada semana",
  monthly: "monthly|every month|monatlich|mensuel|tous les mois|mensual|mensualmente|mensal|mensalmente",
  yearly: "yearly|annually|jährlich|annuel|anual|anualmente",
  none:
    "none|nothing|no experience|keine|keiner|nichts|aucun|aucune|rien|ninguno|ninguna|sin experiencia|nada|nenhum|nenhuma",
  beginner: "beginner|novice|anfänger|einsteiger|débutant|principiante|inicial|iniciante",
  intermediate: "intermediate|fortgeschritten|intermédiaire|intermedio|intermediário|intermédio",
  advanced: "advanced|weit fortgeschritten|avancé|avanzado|avançado",
  expert: "expert|experte|expertin|experto|experta|especialista",
  single: "single|unmarried|ledig|célibataire|soltero|soltera|solteiro|solteira",
  married: "married|verheiratet|marié|mariée|casado|casada",
  divorced: "divorced|geschieden|divorcé|divorcée|divorciado|divorciada",
  widowed: "widowed|verwitwet|veuf|veuve|viudo|viuda|viúvo|viúva",
  employed: "employed|angestellt|erwerbstätig|salariée|empleada|empregada",
  unemployed:
    "unemployed|arbeitslos|arbeitssuchend|au chômage|sans emploi|desempleado|desempleada|desempregado|desempregada",
  retired:
    "retired|rentner|rentnerin|im ruhestand|retraité|retraitée|jubilado|jubilada|aposentado|aposentada|reformado",
  low: "low|niedrig|gering|bas|faible|bajo|baja|baixo|baixa",
  medium: "medium|normal|average|mittel|durchschnittlich|moyen|moyenne|medio|media|médio|média",
  high: "high|hoch|élevé|haut|alto|alta",
  urgent: "urgent|dringend|urgente",
  small: "small|klein|petit|petite|pequeño|pequeña|pequeno|pequena",
  large: "large|big|groß|gross|grand|grande",
  good: "good|gut|bon|bien|bueno|buena|bom|boa",
  bad: "bad|poor|schlecht|mauvais|malo|mala|mau|má|ruim",
  excellent: "excellent|ausgezeichnet|hervorragend|sehr gut|very good|très bien|excelente|muy bueno|muito bom",
  monday: "monday|montag|lundi|lunes|segunda feira",
  tuesday: "tuesday|dienstag|mardi|martes|terça feira",
  wednesday: "wednesday|mittwoch|mercredi|miércoles|quarta feira",
  thursday: "thursday|donnerstag|jeudi|jueves|quinta feira",
  friday: "friday|freitag|vendredi|viernes|sexta feira",
  saturday: "saturday|samstag|sonnabend|samedi|sábado",
  sunday: "sunday|sonntag|dimanche|domingo",

  // Words that set apart
  most: "most|best|am meisten|am besten|le plus|mieux|más|mais|mejor|melhor|besonders|meisten|besten",
  least: "least|worst|am wenigsten|le moins|menos|peor|pior|wenigsten|schlechtesten",
  not: "not|nicht|kein|pas|não|ningún",
  first: "first|erster|erste|erstes|premier|première|primer|primero|primera|primeiro|primeira",
  last: "last|letzter|letzte|letztes|dernier|dernière|último|última",
  next: "next|nächster|nächste|prochain|prochaine|siguiente|próximo|próxima|seguinte",
  previous: "previous|former|prior|voriger|vorherige|ehemalig|précédent|précédente|anterior|previo",
  current:
    "current|currently|present|aktuell|derzeit|zurzeit|actuel|actuelle|actuellement|actual|actualmente|atual|atualmente|now|jetzt|hoy|today|heute",
  new: "new|neu|neue|nouveau|nouvelle|nuevo|nueva|novo|nova",
  old: "old|alt|alte|ancien|ancienne|viejo|vieja|velho|velha",
  before: "before|vorher|avant|antes",
  after: "after|nachher|après|después|depois",
  minimum: "minimum|min|mindestens|mínimo",
  maximum: "maximum|max|höchstens|máximo",
  private: "private|personal|personally|privat|persönlich|privé|personnel|privado|pessoal|particular",
  business: "professional|geschäftlich|beruflich|dienstlich|professionnel|profesional|profissional",
  confirm:
    "confirm|confirmation|repeat|again|verify|wiederholen|bestätigen|bestätigung|nochmals|confirmer|confirmez|répéter|confirmar|confirme|repetir|confirmação|verificar",
  alternative:
    "alternative|secondary|backup|other email|zweite|alternativ|secondaire|alternativo|alternativa|secundario|secundário",
  other: "other|others|sonstige|andere|anderes|autre|autres|otro|otra|otros|otras|outro|outra|outros|outras",
  internal: "internal|intern|interner|interne|interno|interna",
  legacy: "legacy",
  biggest:
    "biggest|greatest|largest|main|primary|größte|größter|größtes|hauptsächlich|wichtigste|plus grand|principal|principale|mayor|principales|maior",
}
